// Views of a symmetric adjacency in compressed rows, and helpers that every kernel shares.
#pragma once
#include <cstddef>
#include <cstdint>

namespace fastge {

using Offset = std::int64_t;  // position of an entry
using Node = std::int32_t;    // number of a node

template <class T>
struct Csr {
    Offset n;
    const Offset* indptr;
    const Node* indices;
    const T* weights;
};

// Called now and then by long sequential loops; throws when the user asked to stop.
using Poll = void (*)();
constexpr Offset kPollEvery = Offset(1) << 17;

// Rows below this many are not worth a team of threads.
constexpr Offset kParallelRows = 16384;

}  // namespace fastge
