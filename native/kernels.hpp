// The hot kernels as a table of functions, one table per instruction set (kernels.cpp fills it).
//
// Blocks are row-major n × width. Every row of a result is computed by one thread in a fixed order
// and every sum over rows runs over fixed chunks, so results do not depend on the thread count.
#pragma once
#include "csr.hpp"

namespace fastge {

constexpr int kMaxBlocks = 4;

template <class T>
struct Kernels {
    // y = L x
    void (*laplacian)(Csr<T> a, const T* x, T* y, int width);
    // out = x + s ∘ (b − L x)
    void (*relax)(Csr<T> a, const T* s, const T* b, const T* x, T* out, int width);
    // residual = b − L x, coarse = Pᵀ residual; coarse node I has members[start[I] … start[I+1])
    void (*restrict_residual)(Csr<T> a, Offset n_coarse, const Offset* start, const Node* members,
                              const T* b, const T* x, T* residual, T* coarse, int width);
    // x += P z; out = x + s ∘ (b − L x)
    void (*prolong_relax)(Csr<T> a, const Node* group, const T* s, const T* b, const T* z, T* x,
                          T* out, int width);
    // y = s ∘ x, row by row
    void (*scale_rows)(Offset n, const T* s, const T* x, T* y, int width);
    // y = diagonal ∘ x − d shiftᵀ
    void (*scale_shift)(Offset n, const T* diagonal, const T* d, const double* shift, const T* x,
                        T* y, int width);
    // result[a, q] = Σ_rows left[a] right[q] over the blocks side by side; right has one block
    void (*gram)(Offset n, int n_left, const T* const* left, int left_width, const T* right,
                 int right_width, double* result);
    // outputs[r] = Σ_m inputs[m] coefficients[m, r]; outputs may be inputs
    void (*combine)(Offset n, int width, int n_in, const T* const* inputs, int n_out,
                    T* const* outputs, const T* coefficients);
    // result[c] = Σ_rows x[c] y[c]
    void (*column_dots)(Offset n, const T* x, const T* y, int width, double* result);
    // x −= its column means
    void (*centre)(Offset n, T* x, int width);
    // y = alpha ∘ x + beta ∘ y, column by column
    void (*axpby)(Offset n, const double* alpha, const T* x, const double* beta, T* y, int width);
};

struct KernelTable {
    const char* isa;
    Kernels<float> f32;
    Kernels<double> f64;
};

}  // namespace fastge
