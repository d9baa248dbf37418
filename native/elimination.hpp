// Exact elimination of nodes of degree one and two: a partial Cholesky factorisation whose Schur
// complement is again a graph. A leaf vanishes; a node between a and b becomes an edge a − b.
#pragma once
#include <vector>

#include "csr.hpp"

namespace fastge {

// One pivot: node, its two neighbours (second −1 for a leaf), their shares, 1 / pivot.
struct Eliminated {
    std::vector<Node> node, first, second;
    std::vector<double> first_share, second_share, inverse;
};

struct Edge {
    Node i, j;
    double w;
};

class Elimination {
   public:
    Elimination(const Csr<double>& a, Poll poll) : a_(a), poll_(poll) {
        alive_.assign(a.n, 1);
        degree_.resize(a.n);
        extra_.assign(a.n, -1);
        for (Offset v = 0; v < a.n; ++v) {
            degree_[v] = a.indptr[v + 1] - a.indptr[v];
            if (degree_[v] == 1 || degree_[v] == 2) queue_.push_back(Node(v));
        }
    }

    // Eliminates until no node of degree one or two is left; nodes left without edges stay.
    // Parallel edges count twice, so a second pass over the remainder may find more.
    Eliminated run() {
        Eliminated log;
        for (std::size_t at = 0; at < queue_.size(); ++at) {
            if (Offset(at) % kPollEvery == 0) poll_();
            const Node v = queue_[at];
            if (!alive_[v] || degree_[v] < 1 || degree_[v] > 2) continue;
            eliminate(v, log);
        }
        return log;
    }

    bool alive(Node v) const { return alive_[v]; }

    // Remaining edges that elimination created (each once).
    std::vector<Edge> created() const {
        std::vector<Edge> edges;
        for (const Edge& e : fill_)
            if (alive_[e.i] && alive_[e.j]) edges.push_back(e);
        return edges;
    }

   private:
    void eliminate(Node v, Eliminated& log) {
        Node ends[2] = {-1, -1};
        double w[2] = {0, 0};
        int found = 0;
        auto meet = [&](Node u, double weight) {
            if (!alive_[u]) return;
            ends[found] = u;
            w[found++] = weight;
        };
        for (Offset e = a_.indptr[v]; e < a_.indptr[v + 1] && found < degree_[v]; ++e)
            meet(a_.indices[e], a_.weights[e]);
        for (Offset f = extra_[v]; f >= 0 && found < degree_[v];) {
            const Edge& e = fill_[f / 2];
            meet(f % 2 ? e.i : e.j, e.w);
            f = next_[f];
        }
        alive_[v] = 0;
        const bool leaf = found == 1 || ends[0] == ends[1];
        const double pivot = w[0] + w[1];
        log.node.push_back(v);
        log.first.push_back(ends[0]);
        log.second.push_back(leaf ? -1 : ends[1]);
        log.first_share.push_back(leaf ? 1.0 : w[0] / pivot);
        log.second_share.push_back(leaf ? 0.0 : w[1] / pivot);
        log.inverse.push_back(1.0 / pivot);
        if (leaf) {
            lower_degree(ends[0], found);
        } else {
            connect(ends[0], ends[1], w[0] * (w[1] / pivot));
        }
    }

    // v's edge to each end is replaced by one edge between them: degrees stay.
    void connect(Node a, Node b, double w) {
        const Offset f = 2 * Offset(fill_.size());
        fill_.push_back({a, b, w});
        next_.push_back(extra_[a]);
        extra_[a] = f;
        next_.push_back(extra_[b]);
        extra_[b] = f + 1;
    }

    void lower_degree(Node u, int by) {
        degree_[u] -= by;
        if (degree_[u] == 1 || degree_[u] == 2) queue_.push_back(u);
    }

    Csr<double> a_;
    Poll poll_;
    std::vector<char> alive_;
    std::vector<Offset> degree_, extra_, next_;
    std::vector<Node> queue_;
    std::vector<Edge> fill_;
};

// The pivots as plain arrays.
struct Pivots {
    Offset count;
    const Node *node, *first, *second;
    const double *first_share, *second_share, *inverse;
};

// b += share of the eliminated right-hand sides, in order of elimination
template <class T>
void eliminate_forward(const Pivots& p, T* b, int width, Poll poll) {
    for (Offset e = 0; e < p.count; ++e) {
        if (e % kPollEvery == 0) poll();
        const T* bv = b + Offset(p.node[e]) * width;
        T* ba = b + Offset(p.first[e]) * width;
        const T s = T(p.first_share[e]), t = T(p.second_share[e]);
        for (int c = 0; c < width; ++c) ba[c] += s * bv[c];
        if (p.second[e] < 0) continue;
        T* bb = b + Offset(p.second[e]) * width;
        for (int c = 0; c < width; ++c) bb[c] += t * bv[c];
    }
}

// x_v = b_v / pivot + the weighted mean of its neighbours, in reverse order; b null means zero
template <class T>
void eliminate_backward(const Pivots& p, const T* b, T* x, int width, Poll poll) {
    for (Offset e = p.count - 1; e >= 0; --e) {
        if (e % kPollEvery == 0) poll();
        const Offset v = Offset(p.node[e]) * width;
        const T* xa = x + Offset(p.first[e]) * width;
        const T* xb = p.second[e] < 0 ? xa : x + Offset(p.second[e]) * width;
        const T s = T(p.first_share[e]), t = T(p.second_share[e]), inv = T(p.inverse[e]);
        for (int c = 0; c < width; ++c)
            x[v + c] = (b ? b[v + c] * inv : T(0)) + s * xa[c] + t * xb[c];
    }
}

}  // namespace fastge
