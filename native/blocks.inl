// Dense kernels on tall blocks of vectors. Included by kernels.cpp once per instruction set.

constexpr Offset kChunk = 4096;  // rows whose partial sum is formed by one thread
constexpr int kStrip = 64;       // rows that stay in the first cache while all tiles pass over them

template <class T>
void scale_rows(Offset n, const T* s, const T* x, T* y, int width) {
#pragma omp parallel for schedule(static) if (n > kParallelRows)
    for (Offset i = 0; i < n; ++i)
        for (int c = 0; c < width; ++c) y[i * width + c] = s[i] * x[i * width + c];
}

template <class T>
void scale_shift(Offset n, const T* diagonal, const T* d, const double* shift, const T* x, T* y,
                 int width) {
#pragma omp parallel for schedule(static) if (n > kParallelRows)
    for (Offset i = 0; i < n; ++i)
        for (int c = 0; c < width; ++c)
            y[i * width + c] = diagonal[i] * x[i * width + c] - d[i] * T(shift[c]);
}

template <class T>
void axpby(Offset n, const double* alpha, const T* x, const double* beta, T* y, int width) {
#pragma omp parallel for schedule(static) if (n > kParallelRows)
    for (Offset i = 0; i < n; ++i)
        for (int c = 0; c < width; ++c) {
            T& value = y[i * width + c];
            value = T(alpha[c]) * x[i * width + c] + T(beta[c]) * value;
        }
}

// Sums add(first row, last row, partial) over fixed chunks of rows, in their order.
template <class F>
void sum_over_chunks(Offset n, int size, double* result, F&& add) {
    const Offset n_chunks = (n + kChunk - 1) / kChunk;
    std::vector<double> partial(std::size_t(n_chunks) * size, 0.0);
#pragma omp parallel for schedule(dynamic, 1) if (n_chunks > 1)
    for (Offset k = 0; k < n_chunks; ++k)
        add(k * kChunk, std::min(n, (k + 1) * kChunk), partial.data() + k * size);
    std::fill(result, result + size, 0.0);
    for (Offset k = 0; k < n_chunks; ++k)
        for (int c = 0; c < size; ++c) result[c] += partial[k * size + c];
}

template <class T>
void column_dots(Offset n, const T* x, const T* y, int width, double* result) {
    sum_over_chunks(n, width, result, [&](Offset first, Offset last, double* partial) {
        for (Offset i = first; i < last; ++i)
            for (int c = 0; c < width; ++c)
                partial[c] += double(x[i * width + c]) * double(y[i * width + c]);
    });
}

// One tile of a Gram matrix: P columns of u times Q columns of v over a strip of rows.
template <int P, int Q, class T>
inline void gram_tile(int rows, const T* __restrict u, int u_stride, const T* __restrict v,
                      int v_stride, double* __restrict out, int out_stride) {
    double sum[P][Q] = {};
    for (int i = 0; i < rows; ++i)
        for (int p = 0; p < P; ++p) {
            const double up = u[i * u_stride + p];
            for (int q = 0; q < Q; ++q) sum[p][q] += up * double(v[i * v_stride + q]);
        }
    for (int p = 0; p < P; ++p)
        for (int q = 0; q < Q; ++q) out[p * out_stride + q] += sum[p][q];
}

template <class T>
void gram_strip(int rows, const T* u, int p_width, const T* v, int q_width, double* out) {
    int p = 0;
    for (; p + 4 <= p_width; p += 4) {
        int q = 0;
        for (; q + 8 <= q_width; q += 8)
            gram_tile<4, 8>(rows, u + p, p_width, v + q, q_width, out + p * q_width + q, q_width);
        for (; q + 4 <= q_width; q += 4)
            gram_tile<4, 4>(rows, u + p, p_width, v + q, q_width, out + p * q_width + q, q_width);
        for (; q < q_width; ++q)
            gram_tile<4, 1>(rows, u + p, p_width, v + q, q_width, out + p * q_width + q, q_width);
    }
    for (; p < p_width; ++p)
        for (int q = 0; q < q_width; ++q)
            gram_tile<1, 1>(rows, u + p, p_width, v + q, q_width, out + p * q_width + q, q_width);
}

template <class T>
void gram(Offset n, int n_left, const T* const* left, int left_width, const T* right,
          int right_width, double* result) {
    const int block = left_width * right_width;
    sum_over_chunks(n, n_left * block, result, [&](Offset first, Offset last, double* partial) {
        for (Offset i = first; i < last; i += kStrip) {
            const int rows = int(std::min<Offset>(kStrip, last - i));
            for (int m = 0; m < n_left; ++m)
                gram_strip(rows, left[m] + i * left_width, left_width, right + i * right_width,
                           right_width, partial + m * block);
        }
    });
}

// out[q] = Σ_p row[p] c[p, q]
template <int W, class T>
inline void row_times_matrix(const T* __restrict row, int n_row, const T* __restrict c, int stride,
                             int width, T* __restrict out) {
    const int b = W > 0 ? W : width;
    T sum[W > 0 ? W : 1];
    if constexpr (W > 0) {
        for (int q = 0; q < W; ++q) sum[q] = 0;
        for (int p = 0; p < n_row; ++p)
            for (int q = 0; q < W; ++q) sum[q] += row[p] * c[p * stride + q];
        for (int q = 0; q < W; ++q) out[q] = sum[q];
    } else {
        for (int q = 0; q < b; ++q) {
            sum[0] = 0;
            for (int p = 0; p < n_row; ++p) sum[0] += row[p] * c[p * stride + q];
            out[q] = sum[0];
        }
    }
}

template <int W, class T>
void combine_rows(Offset n, int width, int n_in, const T* const* inputs, int n_out,
                  T* const* outputs, const T* coefficients) {
    const int b = W > 0 ? W : width;
#pragma omp parallel if (n > kParallelRows)
    {
        std::vector<T> row(std::size_t(n_in) * b);
#pragma omp for schedule(static)
        for (Offset i = 0; i < n; ++i) {
            for (int m = 0; m < n_in; ++m)
                for (int c = 0; c < b; ++c) row[m * b + c] = inputs[m][i * b + c];
            for (int r = 0; r < n_out; ++r)
                row_times_matrix<W>(row.data(), n_in * b, coefficients + r * b, n_out * b, b,
                                    outputs[r] + i * b);
        }
    }
}

template <class T>
void combine(Offset n, int width, int n_in, const T* const* inputs, int n_out, T* const* outputs,
             const T* coefficients) {
    switch (width) {
        case 4: return combine_rows<4>(n, 4, n_in, inputs, n_out, outputs, coefficients);
        case 8: return combine_rows<8>(n, 8, n_in, inputs, n_out, outputs, coefficients);
        case 12: return combine_rows<12>(n, 12, n_in, inputs, n_out, outputs, coefficients);
        case 16: return combine_rows<16>(n, 16, n_in, inputs, n_out, outputs, coefficients);
        default: return combine_rows<0>(n, width, n_in, inputs, n_out, outputs, coefficients);
    }
}
