// Instantiates the hot kernels for one instruction set, named by FASTGE_ISA.
#include "kernels.hpp"

#include <algorithm>
#include <vector>

#define FASTGE_CONCAT_(a, b) a##b
#define FASTGE_CONCAT(a, b) FASTGE_CONCAT_(a, b)
#define FASTGE_NAME(a) FASTGE_STRING_(a)
#define FASTGE_STRING_(a) #a

namespace fastge {
namespace FASTGE_ISA {

#include "ranges.inl"
#include "blocks.inl"
#include "products.inl"
#include "sparse.inl"

template <class T>
Kernels<T> kernels() {
    return {laplacian<T>,   relax<T>, restrict_residual<T>, prolong_relax<T>, scale_rows<T>,
            scale_shift<T>, gram<T>,  combine<T>,           column_dots<T>,   centre<T>,
            axpby<T>};
}

}  // namespace FASTGE_ISA

KernelTable FASTGE_CONCAT(kernel_table_, FASTGE_ISA)() {
    return {FASTGE_NAME(FASTGE_ISA), FASTGE_ISA::kernels<float>(), FASTGE_ISA::kernels<double>()};
}

}  // namespace fastge
