// What all bindings share: views of NumPy arrays, and results that NumPy takes over.
//
// Bindings check nothing and release the interpreter lock while they work. Results go into arrays
// that the caller made; `noconvert` refuses those that would have to be copied first.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <utility>
#include <vector>

#include "csr.hpp"

namespace fastge {

namespace nb = nanobind;

template <class T>
using In = nb::ndarray<const T, nb::c_contig, nb::device::cpu>;
template <class T>
using Out = nb::ndarray<T, nb::c_contig, nb::device::cpu>;
template <class T>
using Array = nb::ndarray<nb::numpy, T, nb::ndim<1>>;

inline void check_signals() {
    nb::gil_scoped_acquire lock;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

template <class T>
Array<T> owned(std::vector<T>&& values) {
    auto* held = new std::vector<T>(std::move(values));
    nb::capsule owner(held, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return Array<T>(held->data(), {held->size()}, owner);
}

template <class T>
Csr<T> csr(const In<Offset>& indptr, const In<Node>& indices, const In<T>& weights) {
    return {Offset(indptr.size()) - 1, indptr.data(), indices.data(), weights.data()};
}

template <class A>
int width_of(const A& block) {
    return block.ndim() == 1 ? 1 : int(block.shape(1));
}

void bind_setup(nb::module_& m);
void bind_cuts(nb::module_& m);
void bind_images(nb::module_& m);

}  // namespace fastge
