// A graph with one more node, the ground, joined to every node that has a tie.
#pragma once
#include <algorithm>
#include <vector>

#include "csr.hpp"

namespace fastge {

struct Grounded {
    std::vector<Offset> indptr;
    std::vector<Node> indices;
    std::vector<double> weights;
};

inline Grounded add_ground(const Csr<double>& a, const double* tie) {
    Grounded g;
    g.indptr.resize(a.n + 2);
    g.indptr[0] = 0;
    Offset ties = 0;
    for (Offset i = 0; i < a.n; ++i) {
        ties += tie[i] > 0;
        g.indptr[i + 1] = a.indptr[i + 1] + ties;
    }
    g.indptr[a.n + 1] = g.indptr[a.n] + ties;
    g.indices.resize(g.indptr[a.n + 1]);
    g.weights.resize(g.indptr[a.n + 1]);
#pragma omp parallel for schedule(static) if (a.n > kParallelRows)
    for (Offset i = 0; i < a.n; ++i) {
        const Offset first = a.indptr[i], last = a.indptr[i + 1];
        std::copy(a.indices + first, a.indices + last, g.indices.begin() + g.indptr[i]);
        std::copy(a.weights + first, a.weights + last, g.weights.begin() + g.indptr[i]);
        if (!(tie[i] > 0)) continue;
        const Offset end = g.indptr[i + 1] - 1;
        const Offset before = end - last;  // ties of earlier nodes
        g.indices[end] = Node(a.n);
        g.weights[end] = tie[i];
        g.indices[g.indptr[a.n] + before] = Node(i);
        g.weights[g.indptr[a.n] + before] = tie[i];
    }
    return g;
}

}  // namespace fastge
