// Products of tall blocks: Gram matrices and linear combinations. Included by kernels.cpp once per
// instruction set.

constexpr int kStrip = 64;  // rows that stay in the first cache while all tiles pass over them

// A few entries that the compiler keeps in registers, whatever the instruction set.
template <class T, int Lanes>
struct Pack {
    typedef T type __attribute__((vector_size(Lanes * sizeof(T)), aligned(sizeof(T))));
};

// One tile of a Gram matrix: P columns of u times Q columns of v over a strip of rows.
// The packs are spelled out: left to itself, GCC 12 also loads the row after the last one.
template <int P, int Q>
inline void gram_tile(int rows, const double* __restrict u, int u_stride,
                      const double* __restrict v, int v_stride, double* __restrict out,
                      int out_stride) {
    using V = typename Pack<double, Q>::type;
    V sum[P] = {};
    for (int i = 0; i < rows; ++i) {
        const V vi = *reinterpret_cast<const V*>(v + i * v_stride);
        for (int p = 0; p < P; ++p) sum[p] += u[i * u_stride + p] * vi;
    }
    for (int p = 0; p < P; ++p) *reinterpret_cast<V*>(out + p * out_stride) += sum[p];
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
constexpr int kPanel = 16;  // columns of the coefficients that are worked on together

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

// The coefficients in panels of kPanel columns, each contiguous, the last one filled up with zeros.
template <class T>
std::vector<T> panels_of(const T* coefficients, int n_rows, int n_columns) {
    const int n_panels = (n_columns + kPanel - 1) / kPanel;
    std::vector<T> panels(std::size_t(n_panels) * n_rows * kPanel, T(0));
    for (int p = 0; p < n_rows; ++p)
        for (int q = 0; q < n_columns; ++q)
            panels[(std::size_t(q / kPanel) * n_rows + p) * kPanel + q % kPanel] =
                coefficients[std::size_t(p) * n_columns + q];
    return panels;
}

// R rows of n_rows entries times one panel
template <int R, class T>
inline void rows_times_panel(const T* rows, int n_rows, const T* panel, T* out, int out_stride) {
    constexpr int kLanes = 8, kPacks = kPanel / kLanes;
    using V = typename Pack<T, kLanes>::type;
    V sum[R][kPacks] = {};
    for (int p = 0; p < n_rows; ++p, panel += kPanel)
        for (int k = 0; k < kPacks; ++k) {
            const V cp = *reinterpret_cast<const V*>(panel + k * kLanes);
            for (int i = 0; i < R; ++i) sum[i][k] += rows[i * n_rows + p] * cp;
        }
    for (int i = 0; i < R; ++i)
        for (int k = 0; k < kPacks; ++k)
            *reinterpret_cast<V*>(out + i * out_stride + k * kLanes) = sum[i][k];
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

// Any rows of any width, strip by strip: a strip is copied first, since outputs may be inputs.
template <class T>
void combine_strips(Offset first, Offset n, int width, int n_in, const T* const* inputs, int n_out,
                    T* const* outputs, const T* coefficients) {
    const int n_rows = n_in * width, n_columns = n_out * width;
    const std::vector<T> panels = panels_of(coefficients, n_rows, n_columns);
    const int padded = (n_columns + kPanel - 1) / kPanel * kPanel;
    for_ranges(n - first, kRowsPerTask, [&](Offset from, Offset to) {
        std::vector<T> rows(std::size_t(kStrip) * n_rows), out(std::size_t(kStrip) * padded);
        for (Offset start = first + from; start < first + to; start += kStrip) {
            const int count = int(std::min<Offset>(kStrip, first + to - start));
            for (int i = 0; i < count; ++i)
                for (int m = 0; m < n_in; ++m) {
                    const T* in = inputs[m] + (start + i) * width;
                    std::copy(in, in + width, &rows[i * n_rows + m * width]);
                }
            for (int q = 0; q < padded; q += kPanel) {
                const T* panel = panels.data() + std::size_t(q) * n_rows;
                int i = 0;
                for (; i + kRowsAtOnce <= count; i += kRowsAtOnce)
                    rows_times_panel<kRowsAtOnce>(&rows[i * n_rows], n_rows, panel,
                                                  &out[i * padded + q], padded);
                for (; i < count; ++i)
                    rows_times_panel<1>(&rows[i * n_rows], n_rows, panel, &out[i * padded + q],
                                        padded);
            }
            for (int i = 0; i < count; ++i)
                for (int r = 0; r < n_out; ++r) {
                    const T* result = &out[i * padded + r * width];
                    std::copy(result, result + width, outputs[r] + (start + i) * width);
                }
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
    if (first < n) combine_strips(first, n, width, n_in, inputs, n_out, outputs, coefficients);
}
