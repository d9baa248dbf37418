// Bindings of what is done once per graph: set-up of the multigrid, cuts, graphs of pixels.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>

#include "bindings.hpp"
#include "checks.hpp"
#include "contraction.hpp"
#include "elimination.hpp"
#include "ground.hpp"
#include "grouping.hpp"
#include "image_blocks.hpp"
#include "image_graph.hpp"
#include "sweep.hpp"

namespace fastge {

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

static PixelGrid pixel_grid(const In<Node>& number, const In<Offset>& steps) {
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

}  // namespace fastge
