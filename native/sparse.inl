// Sparse kernels in difference form: (L x)_i = Σ_j w_ij (x_i − x_j), exact on constants.
// Included by kernels.cpp once per instruction set.

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

template <int W, class T>
void laplacian_rows(const Csr<T>& a, const T* __restrict x, T* __restrict y, int width,
                    Offset first, Offset last) {
    const int b = width_of<W>(width);
    RowBuffer<W, T> buffer(b);
    T* sum = buffer.data();
    for (Offset i = first; i < last; ++i) {
        for (int c = 0; c < b; ++c) sum[c] = 0;
        add_differences<W>(a, i, x, sum, b);
        for (int c = 0; c < b; ++c) y[i * b + c] = sum[c];
    }
}

template <int W, class T>
void relax_rows(const Csr<T>& a, const T* __restrict s, const T* __restrict rhs,
                const T* __restrict x, T* __restrict out, int width, Offset first, Offset last) {
    const int b = width_of<W>(width);
    RowBuffer<W, T> buffer(b);
    T* sum = buffer.data();
    for (Offset i = first; i < last; ++i) {
        for (int c = 0; c < b; ++c) sum[c] = 0;
        add_differences<W>(a, i, x, sum, b);
        const T si = s[i];
        for (int c = 0; c < b; ++c)
            out[i * b + c] = x[i * b + c] + si * (rhs[i * b + c] - sum[c]);
    }
}

template <int W, class T>
void residual_rows(const Csr<T>& a, const T* __restrict rhs, const T* __restrict x,
                   T* __restrict residual, int width, Offset first, Offset last) {
    const int b = width_of<W>(width);
    RowBuffer<W, T> buffer(b);
    T* sum = buffer.data();
    for (Offset i = first; i < last; ++i) {
        for (int c = 0; c < b; ++c) sum[c] = 0;
        add_differences<W>(a, i, x, sum, b);
        for (int c = 0; c < b; ++c) residual[i * b + c] = rhs[i * b + c] - sum[c];
    }
}

template <int W, class T>
void restrict_rows(const Offset* start, const Node* members, const T* __restrict fine,
                   T* __restrict coarse, int width, Offset first, Offset last) {
    const int b = width_of<W>(width);
    for (Offset I = first; I < last; ++I) {
        T* __restrict sum = coarse + I * b;
        for (int c = 0; c < b; ++c) sum[c] = 0;
        for (Offset m = start[I]; m < start[I + 1]; ++m) {
            const T* __restrict row = fine + Offset(members[m]) * b;
            for (int c = 0; c < b; ++c) sum[c] += row[c];
        }
    }
}

template <int W, class T>
void prolong_rows(const Node* group, const T* __restrict z, T* __restrict x, int width,
                  Offset first, Offset last) {
    const int b = width_of<W>(width);
    for (Offset i = first; i < last; ++i) {
        if (group[i] < 0) continue;
        const T* __restrict zi = z + Offset(group[i]) * b;
        for (int c = 0; c < b; ++c) x[i * b + c] += zi[c];
    }
}

template <class T>
void laplacian(Csr<T> a, const T* x, T* y, int width) {
    with_width(width, [&](auto w) {
        for_ranges(a.n, kRowsPerTask, [&](Offset first, Offset last) {
            laplacian_rows<decltype(w)::value>(a, x, y, width, first, last);
        });
    });
}

template <class T>
void relax(Csr<T> a, const T* s, const T* rhs, const T* x, T* out, int width) {
    with_width(width, [&](auto w) {
        for_ranges(a.n, kRowsPerTask, [&](Offset first, Offset last) {
            relax_rows<decltype(w)::value>(a, s, rhs, x, out, width, first, last);
        });
    });
}

// Two passes, not one: rows in their own order read the matrix as a stream.
template <class T>
void restrict_residual(Csr<T> a, Offset n_coarse, const Offset* start, const Node* members,
                       const T* rhs, const T* x, T* residual, T* coarse, int width) {
    with_width(width, [&](auto w) {
        for_ranges(a.n, kRowsPerTask, [&](Offset first, Offset last) {
            residual_rows<decltype(w)::value>(a, rhs, x, residual, width, first, last);
        });
        for_ranges(n_coarse, kRowsPerTask, [&](Offset first, Offset last) {
            restrict_rows<decltype(w)::value>(start, members, residual, coarse, width, first, last);
        });
    });
}

template <class T>
void prolong_relax(Csr<T> a, const Node* group, const T* s, const T* rhs, const T* z, T* x, T* out,
                   int width) {
    with_width(width, [&](auto w) {
        for_ranges(a.n, kRowsPerTask, [&](Offset first, Offset last) {
            prolong_rows<decltype(w)::value>(group, z, x, width, first, last);
        });
    });
    relax(a, s, rhs, x, out, width);
}
