// Contraction of a graph by groups of its nodes: A_coarse = Pᵀ A P without the diagonal.
#pragma once
#include <algorithm>
#include <vector>

#include "csr.hpp"

namespace fastge {

// Members of each group, in index order: start has n_groups + 1 entries.
inline void list_members(Offset n, const Node* group, Node n_groups, Offset* start, Node* members) {
    std::fill(start, start + n_groups + 1, Offset(0));
    for (Offset v = 0; v < n; ++v)
        if (group[v] >= 0) ++start[group[v] + 1];
    for (Node g = 0; g < n_groups; ++g) start[g + 1] += start[g];
    std::vector<Offset> next(start, start + n_groups);
    for (Offset v = 0; v < n; ++v)
        if (group[v] >= 0) members[next[group[v]]++] = Node(v);
}

struct Contracted {
    std::vector<Offset> indptr;
    std::vector<Node> indices;
    std::vector<double> weights;
};

inline Contracted contract(const Csr<double>& a, const Node* group, Node n_groups,
                           const Offset* start, const Node* members, Poll poll) {
    constexpr Node kGroupsPerTask = 1 << 14;
    const Node n_tasks = (n_groups + kGroupsPerTask - 1) / kGroupsPerTask;
    std::vector<Contracted> parts(n_tasks);
    Contracted result;
    result.indptr.assign(std::size_t(n_groups) + 1, 0);
#pragma omp parallel if (n_tasks > 1)
    {
        std::vector<Offset> slot(n_groups, -1);  // where a neighbour stands in the current row
#pragma omp for schedule(dynamic, 1)
        for (Node task = 0; task < n_tasks; ++task) {
            Contracted& part = parts[task];
            const Node last = std::min(n_groups, (task + 1) * kGroupsPerTask);
            for (Node g = task * kGroupsPerTask; g < last; ++g) {
                const Offset row = Offset(part.indices.size());
                for (Offset m = start[g]; m < start[g + 1]; ++m) {
                    const Node v = members[m];
                    for (Offset e = a.indptr[v]; e < a.indptr[v + 1]; ++e) {
                        const Node h = group[a.indices[e]];
                        if (h == g) continue;
                        if (slot[h] < row) {
                            slot[h] = Offset(part.indices.size());
                            part.indices.push_back(h);
                            part.weights.push_back(a.weights[e]);
                        } else {
                            part.weights[slot[h]] += a.weights[e];
                        }
                    }
                }
                for (std::size_t s = row; s < part.indices.size(); ++s) slot[part.indices[s]] = -1;
                result.indptr[g + 1] = Offset(part.indices.size()) - row;
            }
        }
    }
    poll();
    for (Node g = 0; g < n_groups; ++g) result.indptr[g + 1] += result.indptr[g];
    result.indices.reserve(result.indptr[n_groups]);
    result.weights.reserve(result.indptr[n_groups]);
    for (const Contracted& part : parts) {
        result.indices.insert(result.indices.end(), part.indices.begin(), part.indices.end());
        result.weights.insert(result.weights.end(), part.weights.begin(), part.weights.end());
    }
    return result;
}

}  // namespace fastge
