// Dense kernels on tall blocks of vectors. Included by kernels.cpp once per instruction set.

constexpr Offset kChunk = 4096;  // rows whose partial sum is formed by one thread
constexpr int kStrip = 64;       // rows that stay in the first cache while all tiles pass over them

template <int W, class T>
void scale_rows_range(const T* __restrict s, const T* __restrict x, T* __restrict y, int width,
                      Offset first, Offset last) {
    const int b = width_of<W>(width);
    for (Offset i = first; i < last; ++i)
        for (int c = 0; c < b; ++c) y[i * b + c] = s[i] * x[i * b + c];
}

template <class T>
void scale_rows(Offset n, const T* s, const T* x, T* y, int width) {
    with_width(width, [&](auto w) {
        for_ranges(n, kChunk, [&](Offset first, Offset last) {
            scale_rows_range<decltype(w)::value>(s, x, y, width, first, last);
        });
    });
}

template <int W, class T>
void scale_shift_range(const T* __restrict diagonal, const T* __restrict d,
                       const T* __restrict shift, const T* __restrict x, T* __restrict y,
                       int width, Offset first, Offset last) {
    const int b = width_of<W>(width);
    for (Offset i = first; i < last; ++i)
        for (int c = 0; c < b; ++c) y[i * b + c] = diagonal[i] * x[i * b + c] - d[i] * shift[c];
}

template <class T>
void scale_shift(Offset n, const T* diagonal, const T* d, const double* shift, const T* x, T* y,
                 int width) {
    const std::vector<T> shifts(shift, shift + width);
    with_width(width, [&](auto w) {
        for_ranges(n, kChunk, [&](Offset first, Offset last) {
            scale_shift_range<decltype(w)::value>(diagonal, d, shifts.data(), x, y, width, first,
                                                  last);
        });
    });
}

template <int W, class T>
void axpby_range(const T* __restrict alpha, const T* __restrict x, const T* __restrict beta,
                 T* __restrict y, int width, Offset first, Offset last) {
    const int b = width_of<W>(width);
    for (Offset i = first; i < last; ++i)
        for (int c = 0; c < b; ++c)
            y[i * b + c] = alpha[c] * x[i * b + c] + beta[c] * y[i * b + c];
}

template <class T>
void axpby(Offset n, const double* alpha, const T* x, const double* beta, T* y, int width) {
    const std::vector<T> alphas(alpha, alpha + width), betas(beta, beta + width);
    with_width(width, [&](auto w) {
        for_ranges(n, kChunk, [&](Offset first, Offset last) {
            axpby_range<decltype(w)::value>(alphas.data(), x, betas.data(), y, width, first, last);
        });
    });
}

// Sums add(first row, last row, partial) over fixed chunks of rows, in their order.
template <class F>
void sum_over_chunks(Offset n, int size, double* result, F&& add) {
    const Offset n_chunks = (n + kChunk - 1) / kChunk;
    std::vector<double> partial(std::size_t(n_chunks) * size, 0.0);
    for_ranges(n, kChunk, [&](Offset first, Offset last) {
        add(first, last, partial.data() + first / kChunk * size);
    });
    std::fill(result, result + size, 0.0);
    for (Offset k = 0; k < n_chunks; ++k)
        for (int c = 0; c < size; ++c) result[c] += partial[k * size + c];
}

template <int W, class T>
void column_dots_range(const T* __restrict x, const T* __restrict y, double* __restrict result,
                       int width, Offset first, Offset last) {
    const int b = width_of<W>(width);
    RowBuffer<W, double> buffer(b);
    double* sum = buffer.data();
    for (int c = 0; c < b; ++c) sum[c] = 0;
    for (Offset i = first; i < last; ++i)
        for (int c = 0; c < b; ++c) sum[c] += double(x[i * b + c]) * double(y[i * b + c]);
    for (int c = 0; c < b; ++c) result[c] = sum[c];
}

template <class T>
void column_dots(Offset n, const T* x, const T* y, int width, double* result) {
    with_width(width, [&](auto w) {
        sum_over_chunks(n, width, result, [&](Offset first, Offset last, double* partial) {
            column_dots_range<decltype(w)::value>(x, y, partial, width, first, last);
        });
    });
}

template <int W, class T>
void column_sums_range(const T* __restrict x, double* __restrict result, int width, Offset first,
                       Offset last) {
    const int b = width_of<W>(width);
    RowBuffer<W, double> buffer(b);
    double* sum = buffer.data();
    for (int c = 0; c < b; ++c) sum[c] = 0;
    for (Offset i = first; i < last; ++i)
        for (int c = 0; c < b; ++c) sum[c] += double(x[i * b + c]);
    for (int c = 0; c < b; ++c) result[c] = sum[c];
}

template <int W, class T>
void subtract_range(const T* __restrict shift, T* __restrict x, int width, Offset first,
                    Offset last) {
    const int b = width_of<W>(width);
    for (Offset i = first; i < last; ++i)
        for (int c = 0; c < b; ++c) x[i * b + c] -= shift[c];
}

template <class T>
void centre(Offset n, T* x, int width) {
    std::vector<double> sums(width);
    with_width(width, [&](auto w) {
        constexpr int W = decltype(w)::value;
        sum_over_chunks(n, width, sums.data(), [&](Offset first, Offset last, double* partial) {
            column_sums_range<W>(x, partial, width, first, last);
        });
        std::vector<T> means(width);
        for (int c = 0; c < width; ++c) means[c] = T(sums[c] / double(n));
        for_ranges(n, kChunk, [&](Offset first, Offset last) {
            subtract_range<W>(means.data(), x, width, first, last);
        });
    });
}

// One tile of a Gram matrix: P columns of u times Q columns of v over a strip of rows.
template <int P, int Q>
inline void gram_tile(int rows, const double* __restrict u, int u_stride,
                      const double* __restrict v, int v_stride, double* __restrict out,
                      int out_stride) {
    double sum[P][Q] = {};
    for (int i = 0; i < rows; ++i)
        for (int p = 0; p < P; ++p) {
            const double up = u[i * u_stride + p];
            for (int q = 0; q < Q; ++q) sum[p][q] += up * v[i * v_stride + q];
        }
    for (int p = 0; p < P; ++p)
        for (int q = 0; q < Q; ++q) out[p * out_stride + q] += sum[p][q];
}

// P columns of u, from column p on, times all columns of v.
template <int P>
inline void gram_columns(int rows, const double* u, int p, int p_width, const double* v,
                         int q_width, double* out) {
    int q = 0;
    auto tile = [&](auto columns) {
        constexpr int Q = decltype(columns)::value;
        for (; q + Q <= q_width; q += Q)
            gram_tile<P, Q>(rows, u + p, p_width, v + q, q_width, out + p * q_width + q, q_width);
    };
    tile(std::integral_constant<int, 8>{});
    tile(std::integral_constant<int, 4>{});
    tile(std::integral_constant<int, 1>{});
}

inline void gram_strip(int rows, const double* u, int p_width, const double* v, int q_width,
                       double* out) {
    int p = 0;
    for (; p + 4 <= p_width; p += 4) gram_columns<4>(rows, u, p, p_width, v, q_width, out);
    for (; p < p_width; ++p) gram_columns<1>(rows, u, p, p_width, v, q_width, out);
}

// The strip in double precision: itself, or a copy that the tiles can share.
inline const double* in_double(const double* x, int, std::vector<double>&) { return x; }
inline const double* in_double(const float* x, int size, std::vector<double>& copy) {
    copy.assign(x, x + size);
    return copy.data();
}

template <class T>
void gram(Offset n, int n_left, const T* const* left, int left_width, const T* right,
          int right_width, double* result) {
    const int block = left_width * right_width;
    sum_over_chunks(n, n_left * block, result, [&](Offset first, Offset last, double* partial) {
        std::vector<double> left_copy, right_copy;
        for (Offset i = first; i < last; i += kStrip) {
            const int rows = int(std::min<Offset>(kStrip, last - i));
            const double* v = in_double(right + i * right_width, rows * right_width, right_copy);
            for (int m = 0; m < n_left; ++m) {
                const T* u = left[m] + i * left_width;
                gram_strip(rows, in_double(u, rows * left_width, left_copy), left_width, v,
                           right_width, partial + m * block);
            }
        }
    });
}

// Independent sums that hide the latency of multiply-add; divides kRowsPerTask.
constexpr int kRowsAtOnce = 4;

// A few entries that the compiler keeps in registers, whatever the instruction set.
template <class T, int Lanes>
struct Pack {
    typedef T type __attribute__((vector_size(Lanes * sizeof(T)), aligned(sizeof(T))));
};

// outputs[i, q] = Σ_p inputs[i, p] c[p, q] for R rows from `first`; inputs stand side by side
template <int W, int R, class T>
inline void rows_times_matrix(const T* const* inputs, int n_in, Offset first, const T* c,
                              int stride, T (*__restrict result)[W]) {
    constexpr int kLanes = W % 8 == 0 ? 8 : 4, kPacks = W / kLanes;
    using V = typename Pack<T, kLanes>::type;
    V sum[R][kPacks] = {};
    for (int m = 0; m < n_in; ++m) {
        const T* in = inputs[m] + first * W;
        for (int p = 0; p < W; ++p, c += stride)
            for (int k = 0; k < kPacks; ++k) {
                const V cp = *reinterpret_cast<const V*>(c + k * kLanes);
                for (int i = 0; i < R; ++i) sum[i][k] += in[i * W + p] * cp;
            }
    }
    for (int i = 0; i < R; ++i)
        for (int k = 0; k < kPacks; ++k)
            *reinterpret_cast<V*>(result[i] + k * kLanes) = sum[i][k];
}

template <class T>
inline void row_times_matrix(const T* __restrict row, int n_row, const T* __restrict c, int stride,
                             int width, T* __restrict out) {
    std::fill(out, out + width, T(0));
    for (int p = 0; p < n_row; ++p)
        for (int q = 0; q < width; ++q) out[q] += row[p] * c[p * stride + q];
}

// Whole groups of rows with the width known; returns the first row that is left.
template <int W, class T>
Offset combine_groups(Offset n, int n_in, const T* const* inputs, int n_out, T* const* outputs,
                      const T* coefficients) {
    const Offset whole = n / kRowsAtOnce * kRowsAtOnce;
    for_ranges(whole, kRowsPerTask, [&](Offset first, Offset last) {
        T result[kMaxBlocks][kRowsAtOnce][W];
        for (Offset i = first; i < last; i += kRowsAtOnce) {
            for (int r = 0; r < n_out; ++r)
                rows_times_matrix<W, kRowsAtOnce>(inputs, n_in, i, coefficients + r * W, n_out * W,
                                                  result[r]);
            for (int r = 0; r < n_out; ++r)
                std::copy(&result[r][0][0], &result[r][0][0] + kRowsAtOnce * W,
                          outputs[r] + i * W);
        }
    });
    return whole;
}

template <class T>
void combine_rows(Offset first, Offset n, int width, int n_in, const T* const* inputs, int n_out,
                  T* const* outputs, const T* coefficients) {
    const int n_row = n_in * width, stride = n_out * width;
    for_ranges(n - first, kRowsPerTask, [&](Offset from, Offset to) {
        std::vector<T> row(n_row);
        for (Offset i = first + from; i < first + to; ++i) {
            for (int m = 0; m < n_in; ++m)
                std::copy(inputs[m] + i * width, inputs[m] + (i + 1) * width, &row[m * width]);
            for (int r = 0; r < n_out; ++r)
                row_times_matrix(row.data(), n_row, coefficients + r * width, stride, width,
                                 outputs[r] + i * width);
        }
    });
}

template <class T>
void combine(Offset n, int width, int n_in, const T* const* inputs, int n_out, T* const* outputs,
             const T* coefficients) {
    Offset first = 0;
    auto groups = [&](auto w) {
        first = combine_groups<decltype(w)::value>(n, n_in, inputs, n_out, outputs, coefficients);
    };
    if (n_out <= kMaxBlocks) {
        if (width == 4) groups(std::integral_constant<int, 4>{});
        if (width == 8) groups(std::integral_constant<int, 8>{});
        if (width == 12) groups(std::integral_constant<int, 12>{});
        if (width == 16) groups(std::integral_constant<int, 16>{});
    }
    combine_rows(first, n, width, n_in, inputs, n_out, outputs, coefficients);
}
