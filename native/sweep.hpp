// Sweep over the prefixes of an order of the nodes: the cut of both merged graphs after each step.
//
// Sums run in double-double: weights may span twelve decades, and the cut of interest is the small
// difference of large sums.
#pragma once
#include <vector>

#include "csr.hpp"

namespace fastge {

class ExactSum {
   public:
    void add(double x) {
        const double sum = high_ + x;
        const double virtual_x = sum - high_;
        low_ += (high_ - (sum - virtual_x)) + (x - virtual_x);
        high_ = sum;
    }
    void add_product(double x, double y) {
        const double p = x * y;
        add(p);
        add(__builtin_fma(x, y, -p));
    }
    double value() const { return high_ + low_; }

   private:
    double high_ = 0, low_ = 0;
};

// One side of the pencil: explicit edges, a demand graph τ d dᵀ, and all pairs among labelled nodes
// (entries by node: class and strength), within or across classes.
struct CutTerms {
    Csr<double> edges;
    double demand;                // τ
    double within, across;        // factors of the implied pairs
};

struct LabelEntries {
    const Offset* start;  // entries of node v: start[v] … start[v+1]
    const Node* classes;
    const double* strength;
    Node n_classes;
};

// Running cut between the nodes inside and those still outside.
class RunningCut {
   public:
    RunningCut(const CutTerms& terms, const double* d, const LabelEntries& labels)
        : terms_(terms), d_(d), labels_(labels), inside_(labels.n_classes),
          outside_(labels.n_classes) {
        for (Offset v = 0; v < terms.edges.n; ++v) {
            demand_outside_.add(d[v]);
            for (Offset e = labels.start[v]; e < labels.start[v + 1]; ++e) {
                outside_[labels.classes[e]].add(labels.strength[e]);
                all_outside_.add(labels.strength[e]);
            }
        }
    }

    // Moves v to the inside; within(u) tells whether u is there already.
    template <class Inside>
    void move(Node v, Inside&& inside) {
        const Csr<double>& a = terms_.edges;
        for (Offset e = a.indptr[v]; e < a.indptr[v + 1]; ++e)
            cut_.add(inside(a.indices[e]) ? -a.weights[e] : a.weights[e]);
        demand_outside_.add(-d_[v]);
        cut_.add_product(terms_.demand * d_[v], demand_outside_.value() - demand_inside_.value());
        demand_inside_.add(d_[v]);
        for (Offset e = labels_.start[v]; e < labels_.start[v + 1]; ++e)
            move_entry(labels_.classes[e], labels_.strength[e]);
    }

    double value() const { return cut_.value(); }

   private:
    void move_entry(Node c, double s) {
        outside_[c].add(-s);
        all_outside_.add(-s);
        const double own = outside_[c].value() - inside_[c].value();
        const double all = all_outside_.value() - all_inside_.value();
        if (terms_.within != 0) cut_.add_product(terms_.within * s, own);
        if (terms_.across != 0) cut_.add_product(terms_.across * s, all - own);
        inside_[c].add(s);
        all_inside_.add(s);
    }

    CutTerms terms_;
    const double* d_;
    LabelEntries labels_;
    std::vector<ExactSum> inside_, outside_;
    ExactSum cut_, demand_inside_, demand_outside_, all_inside_, all_outside_;
};

// cuts[t] = cut between the first t + 1 nodes of the order and the rest
inline void prefix_cuts(const CutTerms& terms, const double* d, const LabelEntries& labels,
                        const Node* order, double* cuts, Poll poll) {
    const Offset n = terms.edges.n;
    std::vector<char> inside(n, 0);
    RunningCut running(terms, d, labels);
    for (Offset t = 0; t < n; ++t) {
        if (t % kPollEvery == 0) poll();
        running.move(order[t], [&](Node u) { return inside[u] != 0; });
        inside[order[t]] = 1;
        cuts[t] = running.value();
    }
}

// cuts[c] = weight of the edges between cluster c and everything outside it; labels may be −1
inline void cluster_cuts(const Csr<double>& a, const Node* cluster, double* cuts, Node n_clusters) {
    std::vector<ExactSum> sums(n_clusters);
    for (Offset v = 0; v < a.n; ++v) {
        if (cluster[v] < 0) continue;
        for (Offset e = a.indptr[v]; e < a.indptr[v + 1]; ++e)
            if (cluster[a.indices[e]] != cluster[v]) sums[cluster[v]].add(a.weights[e]);
    }
    for (Node c = 0; c < n_clusters; ++c) cuts[c] = sums[c].value();
}

}  // namespace fastge
