// Combinatorial multigrid's grouping: which fine nodes share a coarse node.
//
// Source: Koutis, Miller, Tolliver, "Combinatorial preconditioners and multilevel solvers for
// problems in computer vision and image processing", CVIU 2011, and the published program's rules:
// heaviest-edge forest, split by diameter, split by conductance, detach weakly tied nodes.
#pragma once
#include <vector>

#include "csr.hpp"

namespace fastge {

constexpr int kLongestPath = 6;         // nodes on an uncut walk to a root
constexpr Offset kHeavySide = 2;        // descendants on both sides of an edge worth cutting
constexpr double kWeakTie = 1.0 / 8.0;  // share of a node's degree that must stay in its group

class Forest {
   public:
    Forest(const Csr<double>& a, Poll poll) : a_(a), poll_(poll) {
        parent_.resize(a.n);
        heaviest_.resize(a.n);
        degree_.resize(a.n);
        grow();
        children_.assign(a.n, 0);
        for (Offset v = 0; v < a.n; ++v)
            if (parent_[v] != v) ++children_[parent_[v]];
        descendants_.assign(a.n, 0);
        seen_.assign(a.n, 0);
    }

    // Groups of nodes, numbered by first appearance; −1 for isolated nodes. Returns their number.
    Node group(Node* groups) {
        for (Offset v = 0; v < a_.n; ++v) {
            poll(v);
            if (children_[v] == 0 && !seen_[v]) bound_diameter(Node(v));
        }
        for (Offset v = 0; v < a_.n; ++v) {
            poll(v);
            if (children_[v] == 0) cut_thin_edges(Node(v));
        }
        detach_weakly_tied();
        return number_trees(groups);
    }

   private:
    void poll(Offset step) const {
        if (step % kPollEvery == 0) poll_();
    }

    // parent = the neighbour across the heaviest edge, the smallest index among equals
    void grow() {
#pragma omp parallel for schedule(dynamic, 4096) if (a_.n > kParallelRows)
        for (Offset v = 0; v < a_.n; ++v) {
            Node best = Node(v);
            double heaviest = 0, degree = 0;
            for (Offset e = a_.indptr[v]; e < a_.indptr[v + 1]; ++e) {
                const double w = a_.weights[e];
                const Node u = a_.indices[e];
                degree += w;
                if (w > heaviest || (w == heaviest && u < best)) heaviest = w, best = u;
            }
            parent_[v] = best;
            heaviest_[v] = heaviest;
            degree_[v] = degree;
        }
    }

    // Walks up from w and cuts half-way where the walk is too long.
    void bound_diameter(Node w) {
        for (;;) {
            walk_up(w);
            const Offset length = Offset(path_.size());
            if (length <= kLongestPath) {
                for (Offset i = 0; i < length; ++i) mark(i);
                return;
            }
            const Offset q = (length + 1) / 2;  // nodes below the cut
            const Node below = path_[q - 1], above = path_[q];
            const Offset hanging = descendants_[below];
            parent_[below] = below;
            --children_[above];
            for (Offset i = q; i < length; ++i) descendants_[path_[i]] -= hanging;
            for (Offset i = 0; i < q; ++i) mark(i);
            if (children_[above] != 0 || seen_[above]) return;
            w = above;
        }
    }

    void walk_up(Node w) {
        path_.assign(1, w);
        new_below_.assign(1, 0);
        Offset fresh = 0;
        while (Offset(path_.size()) <= kLongestPath || seen_[path_.back()]) {
            const Node last = path_.back(), next = parent_[last];
            if (next == last || (path_.size() > 1 && next == path_[path_.size() - 2])) return;
            path_.push_back(next);
            if (!seen_[next]) ++fresh;
            new_below_.push_back(fresh);
        }
    }

    void mark(Offset i) {
        seen_[path_[i]] = 1;
        descendants_[path_[i]] += new_below_[i];
    }

    // Cuts the first edge on each walk that has many descendants on both of its sides.
    void cut_thin_edges(Node w) {
        for (;;) {
            Node previous = -1, resume = -1;
            Offset removed = 0;
            for (Node u = parent_[w]; u != w && u != previous; u = parent_[w]) {
                const bool thin = descendants_[w] > kHeavySide &&
                                  descendants_[u] - descendants_[w] > kHeavySide;
                if (resume < 0 && thin) {
                    parent_[w] = w;
                    --children_[u];
                    removed = descendants_[w];
                    resume = u;
                }
                descendants_[u] -= removed;
                previous = w;
                w = u;
            }
            if (resume < 0 || children_[resume] != 0) return;
            w = resume;
        }
    }

    // Nodes that keep too small a share of their degree inside their group leave it.
    void detach_weakly_tied() {
        bool any = false;
        for (Offset v = 0; v < a_.n && !any; ++v) any = heaviest_[v] < kWeakTie * degree_[v];
        if (!any) return;
        std::vector<double> tie(a_.n, 0.0);
        for (Offset v = 0; v < a_.n; ++v) {
            if (parent_[v] == v) continue;
            tie[v] += heaviest_[v];
            tie[parent_[v]] += heaviest_[v];
        }
        for (Offset v = 0; v < a_.n; ++v)
            if (tie[v] < kWeakTie * degree_[v]) parent_[v] = Node(v);
    }

    Node number_trees(Node* groups) {
        std::vector<Node> root(a_.n);
        for (Offset v = 0; v < a_.n; ++v) root[v] = Node(v);
        auto find = [&](Node v) {
            while (root[v] != v) v = root[v] = root[root[v]];
            return v;
        };
        for (Offset v = 0; v < a_.n; ++v) {
            const Node x = find(Node(v)), y = find(parent_[v]);
            if (x != y) root[x > y ? x : y] = x > y ? y : x;
        }
        // Roots are the smallest members, so they appear first in index order.
        Node count = 0;
        for (Offset v = 0; v < a_.n; ++v) {
            const Node r = find(Node(v));
            if (degree_[v] == 0)
                groups[v] = -1;
            else
                groups[v] = r == v ? count++ : groups[r];
        }
        return count;
    }

    Csr<double> a_;
    Poll poll_;
    std::vector<Node> parent_, children_, path_;
    std::vector<Offset> descendants_, new_below_;
    std::vector<double> heaviest_, degree_;
    std::vector<char> seen_;
};

}  // namespace fastge
