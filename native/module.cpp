// Python bindings: checks nothing, releases the interpreter lock while it works. Results go into
// arrays that the caller made; `noconvert` refuses those that would have to be copied first.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <utility>
#include <vector>

#include "checks.hpp"
#include "contraction.hpp"
#include "elimination.hpp"
#include "ground.hpp"
#include "grouping.hpp"
#include "image_blocks.hpp"
#include "image_graph.hpp"
#include "kernels.hpp"
#include "sweep.hpp"

namespace nb = nanobind;

namespace fastge {

KernelTable kernel_table_baseline();
#ifdef FASTGE_X86
KernelTable kernel_table_avx2();
KernelTable kernel_table_avx512();
#endif

namespace {

template <class T>
using In = nb::ndarray<const T, nb::c_contig, nb::device::cpu>;
template <class T>
using Out = nb::ndarray<T, nb::c_contig, nb::device::cpu>;
template <class T>
using Array = nb::ndarray<nb::numpy, T, nb::ndim<1>>;

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

void check_signals() {
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

void bind_setup(nb::module_& m) {
    m.def("row_sums", [](In<Offset> indptr, In<double> weights) {
        std::vector<double> sums(indptr.size() - 1);
        row_sums(Offset(sums.size()), indptr.data(), weights.data(), sums.data());
        return owned(std::move(sums));
    });
    m.def("asymmetric_pair", [](In<Offset> p, In<Node> i, In<double> w, double tolerance) {
        return asymmetric_pair(csr<double>(p, i, w), tolerance);
    });
    m.def("group_nodes", [](In<Offset> p, In<Node> i, In<double> w) {
        const auto a = csr<double>(p, i, w);
        std::vector<Node> groups(a.n);
        Node count;
        {
            nb::gil_scoped_release release;
            count = Forest(a, check_signals).group(groups.data());
        }
        return nb::make_tuple(count, owned(std::move(groups)));
    });
    m.def("contract", [](In<Offset> p, In<Node> i, In<double> w, In<Node> group, Node n_groups) {
        const auto a = csr<double>(p, i, w);
        std::vector<Offset> start(std::size_t(n_groups) + 1);
        std::vector<Node> members(a.n);
        Contracted coarse;
        {
            nb::gil_scoped_release release;
            list_members(a.n, group.data(), n_groups, start.data(), members.data());
            coarse = contract(a, group.data(), n_groups, start.data(), members.data(),
                              check_signals);
        }
        members.resize(start.back());
        return nb::make_tuple(owned(std::move(start)), owned(std::move(members)),
                              owned(std::move(coarse.indptr)), owned(std::move(coarse.indices)),
                              owned(std::move(coarse.weights)));
    });
    m.def("eliminate", [](In<Offset> p, In<Node> i, In<double> w) {
        Eliminated log;
        std::vector<Node> from, to;
        std::vector<double> weight;
        {
            nb::gil_scoped_release release;
            Elimination elimination(csr<double>(p, i, w), check_signals);
            log = elimination.run();
            for (const Edge& e : elimination.created()) {
                from.push_back(e.i);
                to.push_back(e.j);
                weight.push_back(e.w);
            }
        }
        return nb::make_tuple(owned(std::move(log.node)), owned(std::move(log.first)),
                              owned(std::move(log.second)), owned(std::move(log.first_share)),
                              owned(std::move(log.second_share)), owned(std::move(log.inverse)),
                              owned(std::move(from)), owned(std::move(to)),
                              owned(std::move(weight)));
    });
}

PixelGrid pixel_grid(const In<Node>& number, const In<Offset>& steps) {
    return {Offset(number.shape(0)), Offset(number.shape(1)), Offset(number.shape(2)),
            number.data(), int(steps.shape(0)), steps.data()};
}

void bind_images(nb::module_& m) {
    m.def("pixel_squares", [](In<Node> number, In<Offset> steps, In<float> channels,
                              Out<float> squares) {
        nb::gil_scoped_release release;
        const auto grid = pixel_grid(number, steps);
        const auto total = pixel_squares(grid, int(channels.shape(3)), channels.data(),
                                         squares.data());
        return std::pair(total.sum, total.count);
    }, nb::arg(), nb::arg(), nb::arg(), nb::arg().noconvert());
    m.def("pixel_adjacency", [](In<Node> number, In<Offset> steps, In<float> weights,
                                Node n_nodes) {
        Adjacency a;
        {
            nb::gil_scoped_release release;
            a = pixel_adjacency(pixel_grid(number, steps), n_nodes, weights.data());
        }
        return nb::make_tuple(owned(std::move(a.indptr)), owned(std::move(a.indices)),
                              owned(std::move(a.weights)));
    });
    m.def("follow_image", [](Offset side, In<float> shares, In<float> means,
                             In<std::int8_t> block_label, In<std::uint8_t> undecided,
                             In<std::uint8_t> inside, In<float> channels, float scale,
                             Out<std::int8_t> label) {
        nb::gil_scoped_release release;
        const BlockGrid grid{{Offset(inside.shape(0)), Offset(inside.shape(1)),
                              Offset(inside.shape(2))}, side};
        const BlockFacts facts{int(shares.shape(1)), int(means.shape(1)), shares.data(),
                               means.data(), block_label.data(), undecided.data()};
        follow_image(grid, facts, inside.data(), channels.data(), scale, label.data());
    }, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(),
       nb::arg().noconvert());
    m.def("add_ground", [](In<Offset> p, In<Node> i, In<double> w, In<double> tie) {
        Grounded g;
        {
            nb::gil_scoped_release release;
            g = add_ground(csr<double>(p, i, w), tie.data());
        }
        return nb::make_tuple(owned(std::move(g.indptr)), owned(std::move(g.indices)),
                              owned(std::move(g.weights)));
    });
}

void bind_cuts(nb::module_& m) {
    m.def("prefix_cuts", [](In<Offset> p, In<Node> i, In<double> w, double demand, double within,
                            double across, In<double> d, In<Offset> start, In<Node> classes,
                            In<double> strength, Node n_classes, In<Node> order) {
        const CutTerms terms{csr<double>(p, i, w), demand, within, across};
        const LabelEntries labels{start.data(), classes.data(), strength.data(), n_classes};
        std::vector<double> cuts(terms.edges.n);
        {
            nb::gil_scoped_release release;
            prefix_cuts(terms, d.data(), labels, order.data(), cuts.data(), check_signals);
        }
        return owned(std::move(cuts));
    });
    m.def("cluster_cuts", [](In<Offset> p, In<Node> i, In<double> w, In<Node> cluster,
                             Node n_clusters) {
        std::vector<double> cuts(n_clusters);
        cluster_cuts(csr<double>(p, i, w), cluster.data(), cuts.data(), n_clusters);
        return owned(std::move(cuts));
    });
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
