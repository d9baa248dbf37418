// Classes of blocks of pixels → classes of pixels, following the image where blocks disagree.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "csr.hpp"

namespace fastge {

// Pixels of a volume and the cubes of `side` pixels that they lie in, both in reading order.
struct BlockGrid {
    Offset size[3];
    Offset side;

    Offset coarse(int axis) const { return (size[axis] + side - 1) / side; }
};

// What is known of the blocks: k shares and the channels' means of each, a class (−1: takes no
// part), and whether a neighbour has another one.
struct BlockFacts {
    int k, n_channels;
    const float* shares;
    const float* means;
    const std::int8_t* label;
    const std::uint8_t* undecided;
};

// The class with most votes for a pixel at (z, y, x): every block around votes with its shares,
// weighed by exp(−δ²/scale − d²), δ the distance of channels and d that of places in blocks.
inline int vote(const BlockGrid& g, const BlockFacts& b, const Offset* at, const float* f,
                float scale, std::vector<float>& votes) {
    struct Voter {
        Offset block;
        float exponent;
    };
    Voter voters[27];
    int n_voters = 0;
    float least = std::numeric_limits<float>::infinity();
    for (int step = 0; step < 27; ++step) {
        const int by[3] = {step / 9 - 1, step / 3 % 3 - 1, step % 3 - 1};
        Offset block = 0;
        float far = 0;
        bool is_there = true;
        for (int axis = 0; axis < 3; ++axis) {
            const Offset c = at[axis] / g.side + by[axis];
            is_there = is_there && c >= 0 && c < g.coarse(axis);
            block = block * g.coarse(axis) + c;
            const float d = (float(at[axis]) + 0.5f) / float(g.side) - (float(c) + 0.5f);
            far += d * d;
        }
        if (!is_there || b.label[block] < 0) continue;
        float square = 0;
        for (int a = 0; a < b.n_channels; ++a) {
            const float d = f[a] - b.means[block * b.n_channels + a];
            square += d * d;
        }
        const float exponent = square / scale + far;
        least = std::min(least, exponent);
        voters[n_voters++] = {block, exponent};
    }
    std::fill(votes.begin(), votes.end(), 0.0f);
    for (int v = 0; v < n_voters; ++v) {
        const float weight = std::exp(least - voters[v].exponent);
        const float* share = b.shares + voters[v].block * b.k;
        for (int c = 0; c < b.k; ++c) votes[c] += weight * share[c];
    }
    return int(std::max_element(votes.begin(), votes.end()) - votes.begin());
}

inline void follow_image(const BlockGrid& g, const BlockFacts& b, const std::uint8_t* inside,
                         const float* channels, float scale, std::int8_t* label) {
    const Offset rows = g.size[0] * g.size[1], width = g.size[2];
#pragma omp parallel if (rows * width > kParallelRows)
    {
        std::vector<float> votes(b.k);
#pragma omp for schedule(dynamic, 16)
        for (Offset row = 0; row < rows; ++row) {
            const Offset z = row / g.size[1], y = row % g.size[1];
            const Offset first = ((z / g.side) * g.coarse(1) + y / g.side) * g.coarse(2);
            for (Offset x = 0; x < width; ++x) {
                const Offset i = row * width + x, block = first + x / g.side;
                const Offset at[3] = {z, y, x};
                if (!inside[i])
                    label[i] = -1;
                else if (!b.undecided[block])
                    label[i] = b.label[block];
                else
                    label[i] = std::int8_t(
                        vote(g, b, at, channels + i * b.n_channels, scale, votes));
            }
        }
    }
}

}  // namespace fastge
