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
    void add_product(double x, const ExactSum& y) {
        add_product(x, y.high_);
        add_product(x, y.low_);
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

// Running cut between the nodes inside and those still outside. Each balance is the sum outside less
// the sum inside; factors are applied last, so that what enters a sum leaves it again exactly.
class RunningCut {
   public:
    RunningCut(const CutTerms& terms, const double* d, const LabelEntries& labels)
        : terms_(terms), d_(d), labels_(labels), class_balance_(labels.n_classes) {
        for (Offset v = 0; v < terms.edges.n; ++v) {
            demand_balance_.add(d[v]);
            for (Offset e = labels.start[v]; e < labels.start[v + 1]; ++e) {
                class_balance_[labels.classes[e]].add(labels.strength[e]);
                all_balance_.add(labels.strength[e]);
            }
        }
    }

    // Moves v to the inside; inside(u) tells whether u is there already.
    template <class Inside>
    void move(Node v, Inside&& inside) {
        const Csr<double>& a = terms_.edges;
        for (Offset e = a.indptr[v]; e < a.indptr[v + 1]; ++e)
            edges_.add(inside(a.indices[e]) ? -a.weights[e] : a.weights[e]);
        add_pairs(demand_, d_[v], demand_balance_);
        for (Offset e = labels_.start[v]; e < labels_.start[v + 1]; ++e) {
            add_pairs(same_class_, labels_.strength[e], class_balance_[labels_.classes[e]]);
            add_pairs(all_classes_, labels_.strength[e], all_balance_);
        }
    }

    double value() const {
        ExactSum different = all_classes_;
        different.add_product(-1.0, same_class_);
        return edges_.value() + terms_.demand * demand_.value() +
               terms_.within * same_class_.value() + terms_.across * different.value();
    }

   private:
    static void add_pairs(ExactSum& cut, double s, ExactSum& balance) {
        balance.add(-s);
        cut.add_product(s, balance);
        balance.add(-s);
    }

    CutTerms terms_;
    const double* d_;
    LabelEntries labels_;
    std::vector<ExactSum> class_balance_;
    ExactSum edges_, demand_, same_class_, all_classes_, demand_balance_, all_balance_;
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
