// Dense kernels on tall blocks of vectors. Included by kernels.cpp once per instruction set.

constexpr Offset kChunk = 4096;  // rows whose partial sum is formed by one thread

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
