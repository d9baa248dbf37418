// Cheap passes over a graph: row sums and the search for an asymmetric pair.
#pragma once
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "csr.hpp"

namespace fastge {

inline void row_sums(Offset n, const Offset* indptr, const double* weights, double* sums) {
#pragma omp parallel for schedule(static) if (n > kParallelRows)
    for (Offset i = 0; i < n; ++i) {
        double sum = 0;
        for (Offset e = indptr[i]; e < indptr[i + 1]; ++e) sum += weights[e];
        sums[i] = sum;
    }
}

// The first entry (i, j) that differs from (j, i). Columns must be sorted: then the lower entries
// of every row are met in order while the upper ones are read row by row.
inline std::optional<std::pair<Node, Node>> asymmetric_pair(const Csr<double>& a,
                                                            double tolerance) {
    std::vector<Offset> next(a.indptr, a.indptr + a.n);
    for (Offset i = 0; i < a.n; ++i) {
        for (Offset e = next[i]; e < a.indptr[i + 1]; ++e) {
            const Node j = a.indices[e];
            if (j < i) return std::pair(Node(i), j);  // a lower entry that nobody claimed
            const Offset f = next[j];
            if (f >= a.indptr[j + 1] || a.indices[f] > i) return std::pair(Node(i), j);
            if (a.indices[f] < i) return std::pair(j, a.indices[f]);  // as above, met here first
            const double u = a.weights[e], w = a.weights[f];
            if (std::abs(u - w) > tolerance * std::max(std::abs(u), std::abs(w)))
                return std::pair(Node(i), j);
            ++next[j];
        }
    }
    return std::nullopt;
}

}  // namespace fastge
