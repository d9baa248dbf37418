// Sparse kernels in difference form: (L x)_i = Σ_j w_ij (x_i − x_j), exact on constants.
// Included by kernels.cpp once per instruction set. W = 0 stands for a width known at run time.

constexpr Offset kRowsPerTask = 1024;

template <int W>
constexpr int width_of(int width) {
    return W > 0 ? W : width;
}

// Calls f with the width as a compile-time constant where that is worth a specialisation.
template <class F>
void with_width(int width, F&& f) {
    switch (width) {
        case 1: return f(std::integral_constant<int, 1>{});
        case 4: return f(std::integral_constant<int, 4>{});
        case 8: return f(std::integral_constant<int, 8>{});
        case 12: return f(std::integral_constant<int, 12>{});
        case 16: return f(std::integral_constant<int, 16>{});
        default: return f(std::integral_constant<int, 0>{});
    }
}

// sum += Σ_j w_ij (x_i − x_j)
template <int W, class T>
inline void add_differences(const Csr<T>& a, Offset i, const T* __restrict x, T* __restrict sum,
                            int width) {
    const int b = width_of<W>(width);
    const T* __restrict xi = x + i * b;
    for (Offset e = a.indptr[i]; e < a.indptr[i + 1]; ++e) {
        const T w = a.weights[e];
        const T* __restrict xj = x + Offset(a.indices[e]) * b;
        for (int c = 0; c < b; ++c) sum[c] += w * (xi[c] - xj[c]);
    }
}

// A small zeroed buffer: on the stack when the width is known, else per thread on the heap.
template <int W, class T>
struct RowBuffer {
    explicit RowBuffer(int) {}
    T* data() { return values; }
    alignas(64) T values[W];
};
template <class T>
struct RowBuffer<0, T> {
    explicit RowBuffer(int width) : values(width) {}
    T* data() { return values.data(); }
    std::vector<T> values;
};

template <class T>
void laplacian(Csr<T> a, const T* x, T* y, int width) {
    with_width(width, [&](auto w) {
        constexpr int W = decltype(w)::value;
        const int b = width_of<W>(width);
#pragma omp parallel if (a.n > kParallelRows)
        {
            RowBuffer<W, T> buffer(b);
            T* __restrict sum = buffer.data();
#pragma omp for schedule(dynamic, kRowsPerTask)
            for (Offset i = 0; i < a.n; ++i) {
                for (int c = 0; c < b; ++c) sum[c] = 0;
                add_differences<W>(a, i, x, sum, b);
                for (int c = 0; c < b; ++c) y[i * b + c] = sum[c];
            }
        }
    });
}

template <class T>
void relax(Csr<T> a, const T* s, const T* rhs, const T* x, T* out, int width) {
    with_width(width, [&](auto w) {
        constexpr int W = decltype(w)::value;
        const int b = width_of<W>(width);
#pragma omp parallel if (a.n > kParallelRows)
        {
            RowBuffer<W, T> buffer(b);
            T* __restrict sum = buffer.data();
#pragma omp for schedule(dynamic, kRowsPerTask)
            for (Offset i = 0; i < a.n; ++i) {
                for (int c = 0; c < b; ++c) sum[c] = 0;
                add_differences<W>(a, i, x, sum, b);
                const T si = s[i];
                for (int c = 0; c < b; ++c)
                    out[i * b + c] = x[i * b + c] + si * (rhs[i * b + c] - sum[c]);
            }
        }
    });
}

template <class T>
void restrict_residual(Csr<T> a, Offset n_coarse, const Offset* start, const Node* members,
                       const T* rhs, const T* x, T* coarse, int width) {
    with_width(width, [&](auto w) {
        constexpr int W = decltype(w)::value;
        const int b = width_of<W>(width);
#pragma omp parallel if (a.n > kParallelRows)
        {
            RowBuffer<W, T> buffer(b);
            T* __restrict sum = buffer.data();
#pragma omp for schedule(dynamic, kRowsPerTask / 4)
            for (Offset I = 0; I < n_coarse; ++I) {
                for (int c = 0; c < b; ++c) sum[c] = 0;
                for (Offset m = start[I]; m < start[I + 1]; ++m) {
                    const Offset i = members[m];
                    add_differences<W>(a, i, x, sum, b);
                    for (int c = 0; c < b; ++c) sum[c] -= rhs[i * b + c];
                }
                for (int c = 0; c < b; ++c) coarse[I * b + c] = -sum[c];
            }
        }
    });
}

template <class T>
void prolong_relax(Csr<T> a, const Node* group, const T* s, const T* rhs, const T* z, T* x, T* out,
                   int width) {
    with_width(width, [&](auto w) {
        constexpr int W = decltype(w)::value;
        const int b = width_of<W>(width);
#pragma omp parallel for schedule(static) if (a.n > kParallelRows)
        for (Offset i = 0; i < a.n; ++i) {
            if (group[i] < 0) continue;
            const T* __restrict zi = z + Offset(group[i]) * b;
            for (int c = 0; c < b; ++c) x[i * b + c] += zi[c];
        }
    });
    relax(a, s, rhs, x, out, width);
}
