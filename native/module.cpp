// The Python module: the hot kernels for the best instruction set, and all other bindings.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <vector>

#include "bindings.hpp"
#include "elimination.hpp"
#include "kernels.hpp"

namespace fastge {

KernelTable kernel_table_baseline();
#ifdef FASTGE_X86
KernelTable kernel_table_avx2();
KernelTable kernel_table_avx512();
#endif

namespace {

// Those that this processor runs, the best one first.
std::vector<KernelTable> kernel_tables() {
    std::vector<KernelTable> tables;
#ifdef FASTGE_X86
    const bool fma = __builtin_cpu_supports("fma");
    if (fma && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw"))
        tables.push_back(kernel_table_avx512());
    if (fma && __builtin_cpu_supports("avx2")) tables.push_back(kernel_table_avx2());
#endif
    tables.push_back(kernel_table_baseline());
    return tables;
}

const std::vector<KernelTable> tables = kernel_tables();
KernelTable table = tables.front();

std::vector<std::string> instruction_sets() {
    std::vector<std::string> names;
    for (const KernelTable& known : tables) names.push_back(known.isa);
    return names;
}

void use_instruction_set(const std::string& name) {
    for (const KernelTable& known : tables)
        if (name == known.isa) {
            table = known;
            return;
        }
    throw nb::value_error("this processor does not run that instruction set");
}

template <class T>
const Kernels<T>& kernels();
template <>
const Kernels<float>& kernels<float>() { return table.f32; }
template <>
const Kernels<double>& kernels<double>() { return table.f64; }

template <class T>
void bind_kernels(nb::module_& m) {
    using Release = nb::call_guard<nb::gil_scoped_release>;
    m.def("laplacian", [](In<Offset> p, In<Node> i, In<T> w, In<T> x, Out<T> y) {
        kernels<T>().laplacian(csr<T>(p, i, w), x.data(), y.data(), width_of(x));
    }, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg().noconvert(), Release());
    m.def("relax", [](In<Offset> p, In<Node> i, In<T> w, In<T> s, In<T> b, In<T> x, Out<T> out) {
        kernels<T>().relax(csr<T>(p, i, w), s.data(), b.data(), x.data(), out.data(), width_of(x));
    }, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg().noconvert(),
       Release());
    m.def("restrict_residual", [](In<Offset> p, In<Node> i, In<T> w, In<Offset> start,
                                  In<Node> members, In<T> b, In<T> x, Out<T> residual,
                                  Out<T> coarse) {
        kernels<T>().restrict_residual(csr<T>(p, i, w), Offset(start.size()) - 1, start.data(),
                                       members.data(), b.data(), x.data(), residual.data(),
                                       coarse.data(), width_of(x));
    }, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(),
       nb::arg().noconvert(), nb::arg().noconvert(), Release());
    m.def("prolong_relax", [](In<Offset> p, In<Node> i, In<T> w, In<Node> group, In<T> s, In<T> b,
                              In<T> z, Out<T> x, Out<T> out) {
        kernels<T>().prolong_relax(csr<T>(p, i, w), group.data(), s.data(), b.data(), z.data(),
                                   x.data(), out.data(), width_of(x));
    }, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(),
       nb::arg().noconvert(), nb::arg().noconvert(), Release());
    m.def("scale_rows", [](In<T> s, In<T> x, Out<T> y) {
        kernels<T>().scale_rows(Offset(s.size()), s.data(), x.data(), y.data(), width_of(x));
    }, nb::arg(), nb::arg(), nb::arg().noconvert(), Release());
    m.def("scale_shift", [](In<T> diagonal, In<T> d, In<double> shift, In<T> x, Out<T> y) {
        kernels<T>().scale_shift(Offset(d.size()), diagonal.data(), d.data(), shift.data(),
                                 x.data(), y.data(), width_of(x));
    }, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg().noconvert(), Release());
    m.def("gram", [](std::vector<In<T>> left, In<T> right, Out<double> result) {
        std::vector<const T*> blocks;
        for (auto& block : left) blocks.push_back(block.data());
        kernels<T>().gram(Offset(right.shape(0)), int(blocks.size()), blocks.data(),
                          width_of(left[0]), right.data(), width_of(right), result.data());
    }, nb::arg(), nb::arg(), nb::arg().noconvert(), Release());
    m.def("combine", [](std::vector<In<T>> inputs, std::vector<Out<T>> outputs,
                        In<T> coefficients) {
        std::vector<const T*> in;
        std::vector<T*> out;
        for (auto& block : inputs) in.push_back(block.data());
        for (auto& block : outputs) out.push_back(block.data());
        kernels<T>().combine(Offset(inputs[0].shape(0)), width_of(inputs[0]), int(in.size()),
                             in.data(), int(out.size()), out.data(), coefficients.data());
    }, nb::arg(), nb::arg().noconvert(), nb::arg(), Release());
    m.def("column_dots", [](In<T> x, In<T> y, Out<double> result) {
        kernels<T>().column_dots(Offset(x.shape(0)), x.data(), y.data(), width_of(x),
                                 result.data());
    }, nb::arg(), nb::arg(), nb::arg().noconvert(), Release());
    m.def("centre", [](Out<T> x) {
        kernels<T>().centre(Offset(x.shape(0)), x.data(), width_of(x));
    }, nb::arg().noconvert(), Release());
    m.def("axpby", [](In<double> alpha, In<T> x, In<double> beta, Out<T> y) {
        kernels<T>().axpby(Offset(x.shape(0)), alpha.data(), x.data(), beta.data(), y.data(),
                           width_of(x));
    }, nb::arg(), nb::arg(), nb::arg(), nb::arg().noconvert(), Release());
    m.def("eliminate_forward", [](In<Node> node, In<Node> first, In<Node> second, In<double> s,
                                  In<double> t, In<double> inverse, Out<T> b) {
        const Pivots p{Offset(node.size()), node.data(), first.data(), second.data(),
                       s.data(), t.data(), inverse.data()};
        eliminate_forward<T>(p, b.data(), width_of(b), check_signals);
    }, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg().noconvert(),
       Release());
    m.def("eliminate_backward", [](In<Node> node, In<Node> first, In<Node> second, In<double> s,
                                   In<double> t, In<double> inverse, std::optional<In<T>> b,
                                   Out<T> x) {
        const Pivots p{Offset(node.size()), node.data(), first.data(), second.data(),
                       s.data(), t.data(), inverse.data()};
        eliminate_backward<T>(p, b ? b->data() : nullptr, x.data(), width_of(x), check_signals);
    }, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg().none(),
       nb::arg().noconvert(), Release());
}

}  // namespace

NB_MODULE(_native, m) {
    m.doc() = "Native kernels of fastge.";
    m.def("instruction_sets", &instruction_sets);
    m.def("use_instruction_set", &use_instruction_set);
    bind_kernels<float>(m);
    bind_kernels<double>(m);
    bind_setup(m);
    bind_cuts(m);
    bind_images(m);
}

}  // namespace fastge
