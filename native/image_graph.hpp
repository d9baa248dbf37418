// Graphs of pixels on a grid: differences along a few steps, and the adjacency they make.
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "csr.hpp"

namespace fastge {

// Pixels of a volume in reading order (an image has depth 1). `number` is the node of each pixel,
// −1 where it takes no part. Steps (z, y, x) lead to later pixels and are sorted.
struct PixelGrid {
    Offset depth, height, width;
    const Node* number;
    int n_steps;
    const Offset* steps;

    Offset n() const { return depth * height * width; }
    Offset n_rows() const { return depth * height; }
    Offset stride(int s) const {
        return (steps[3 * s] * height + steps[3 * s + 1]) * width + steps[3 * s + 2];
    }
    // The pixels of a row (`direction` 1: from, −1: to) for which the step stays in the volume.
    bool span(Offset row, int s, int direction, Offset& first, Offset& last) const {
        const Offset z = row / height + direction * steps[3 * s];
        const Offset y = row % height + direction * steps[3 * s + 1];
        const Offset x = direction * steps[3 * s + 2];
        first = x < 0 ? -x : 0;
        last = x > 0 ? width - x : width;
        return z >= 0 && z < depth && y >= 0 && y < height && first < last;
    }
};

struct SquareSum {
    double sum = 0;
    Offset count = 0;
};

// squares[s, i] = ‖f_i − f_j‖² with j one step further; NaN where that is no pair of nodes.
template <int C>
SquareSum pixel_squares_of(const PixelGrid& g, int n_channels, const float* f, float* squares) {
    const int c = C ? C : n_channels;
    const float none = std::numeric_limits<float>::quiet_NaN();
    std::vector<SquareSum> parts(g.n_rows());
#pragma omp parallel for schedule(static) if (g.n() > kParallelRows)
    for (Offset row = 0; row < g.n_rows(); ++row) {
        SquareSum part;
        for (int s = 0; s < g.n_steps; ++s) {
            const Offset start = row * g.width, stride = g.stride(s);
            float* out = squares + s * g.n() + start;
            std::fill(out, out + g.width, none);
            Offset first, last;
            if (!g.span(row, s, 1, first, last)) continue;
            for (Offset x = first; x < last; ++x) {
                const Offset i = start + x, j = i + stride;
                if (g.number[i] < 0 || g.number[j] < 0) continue;
                float square = 0;
                for (int a = 0; a < c; ++a) {
                    const float d = f[i * c + a] - f[j * c + a];
                    square += d * d;
                }
                out[x] = square;
                part.sum += square;
                ++part.count;
            }
        }
        parts[row] = part;
    }
    SquareSum total;  // in the order of the rows, whatever the number of threads
    for (const SquareSum& part : parts) {
        total.sum += part.sum;
        total.count += part.count;
    }
    return total;
}

inline SquareSum pixel_squares(const PixelGrid& g, int n_channels, const float* f, float* squares) {
    if (n_channels == 1) return pixel_squares_of<1>(g, 1, f, squares);
    if (n_channels == 3) return pixel_squares_of<3>(g, 3, f, squares);
    return pixel_squares_of<0>(g, n_channels, f, squares);
}

struct Adjacency {
    std::vector<Offset> indptr;
    std::vector<Node> indices;
    std::vector<double> weights;
};

// Calls use(j, weight) for the neighbours of every pixel of a row, in the order of their numbers.
template <class Use>
void neighbours_of_row(const PixelGrid& g, const float* weights, Offset row, Use use) {
    struct Reach {
        Offset stride, first, last;
        const float* weight;
    };
    std::vector<Reach> reach;
    const Offset start = row * g.width;
    Offset first, last;
    for (int s = g.n_steps - 1; s >= 0; --s)
        if (g.span(row, s, -1, first, last))
            reach.push_back({-g.stride(s), first, last, weights + s * g.n() - g.stride(s)});
    for (int s = 0; s < g.n_steps; ++s)
        if (g.span(row, s, 1, first, last))
            reach.push_back({g.stride(s), first, last, weights + s * g.n()});
    for (Offset x = 0; x < g.width; ++x) {
        const Offset i = start + x;
        if (g.number[i] < 0) continue;
        for (const Reach& r : reach) {
            if (x < r.first || x >= r.last) continue;
            const float w = r.weight[i];
            if (!std::isnan(w)) use(g.number[i], g.number[i + r.stride], w);
        }
    }
}

inline Adjacency pixel_adjacency(const PixelGrid& g, Node n_nodes, const float* weights) {
    Adjacency a;
    a.indptr.assign(n_nodes + 1, 0);
#pragma omp parallel for schedule(static) if (g.n() > kParallelRows)
    for (Offset row = 0; row < g.n_rows(); ++row)
        neighbours_of_row(g, weights, row, [&](Node i, Node, float) { ++a.indptr[i + 1]; });
    for (Node i = 0; i < n_nodes; ++i) a.indptr[i + 1] += a.indptr[i];
    a.indices.resize(a.indptr[n_nodes]);
    a.weights.resize(a.indptr[n_nodes]);
#pragma omp parallel for schedule(static) if (g.n() > kParallelRows)
    for (Offset row = 0; row < g.n_rows(); ++row) {
        Offset at = -1;
        neighbours_of_row(g, weights, row, [&](Node i, Node j, float w) {
            if (at < a.indptr[i]) at = a.indptr[i];
            a.indices[at] = j;
            a.weights[at++] = w;
        });
    }
    return a;
}

}  // namespace fastge
