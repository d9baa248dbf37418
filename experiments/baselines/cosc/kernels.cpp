// The inner problem of COSC's RatioDCA: FISTA on its dual.
//
//   min over |x| <= 1 of  sum_e w_e |x_i - x_j| + C (max x - min x) - C <x, g>
//
// Its dual variables are a flow a on the edges, |a_e| <= w_e / C, and two points u, v of the unit
// simplex; the best u is known for given a and v, and with it D = g + v - div a - u. The dual value
// is -C |D|, and D / |D| is the primal point. Without the range term C = 1, and u and v are absent.
//
// Sums run over fixed chunks and every row is summed in its own order, so the result does not depend
// on the number of threads.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

// The widest instruction set is chosen when the library is loaded. Clones do not reach into OpenMP
// regions, so every loop over a chunk is a function of its own.
#if defined(__x86_64__) && defined(__gnu_linux__)
#define WIDEST __attribute__((noinline, target_clones("avx512f", "avx2", "default")))
#else
#define WIDEST
#endif

using Offset = std::int64_t;
using Node = std::int32_t;

extern "C" {
// Every edge once, sorted by its tail; `entering` lists the edges by their heads.
struct CoscGraph {
    Offset n, m;
    const Node *tail, *head;
    const double* weight;
    const Offset *leaving_start, *entering_start;
    const Node* entering;
};

struct CoscProblem {
    const double* linear;  // g
    double range;          // C; 0 without the range term
    double edge_step, node_step;
    Offset most_iterations;
};

// `flow` and `low` (a and v) are read as the start and left at the last iterate.
struct CoscState {
    double *flow, *low, *x;
    double primal, dual;
};
}

namespace {

constexpr Offset kChunk = 4096;
constexpr Offset kParallelFrom = 8 * kChunk;
constexpr Offset kCheckEvery = 20;
constexpr double kLeastNorm = 1e-6, kLeastGap = 1e-6;
constexpr int kMostNewtonSteps = 100;

Offset chunks_of(Offset n) { return (n + kChunk - 1) / kChunk; }

template <class F>
void each_chunk(Offset n, F&& f) {
    const Offset chunks = chunks_of(n);
#pragma omp parallel for schedule(static) if (n > kParallelFrom)
    for (Offset c = 0; c < chunks; ++c) f(c, c * kChunk, std::min(n, (c + 1) * kChunk));
}

struct Sums {
    double first = 0, second = 0;
};

template <class F>
Sums sum_of_chunks(Offset n, std::vector<Sums>& partial, F&& f) {
    each_chunk(n, [&](Offset c, Offset from, Offset to) { partial[c] = f(from, to); });
    Sums total;
    for (Offset c = 0; c < chunks_of(n); ++c) {
        total.first += partial[c].first;
        total.second += partial[c].second;
    }
    return total;
}

// One step of the flow from the point ahead of it; what was `before` becomes the new flow.
WIDEST void step_edges(const CoscGraph& graph, const double* __restrict D, double step, double scale,
                       double momentum, const double* __restrict a, double* __restrict before,
                       Offset from, Offset to) {
    for (Offset e = from; e < to; ++e) {
        const double cap = graph.weight[e] * scale;
        const double slope = D[graph.tail[e]] - D[graph.head[e]];
        double flow = a[e] + momentum * (a[e] - before[e]) + step * slope;
        flow = flow < cap ? flow : cap;
        before[e] = flow > -cap ? flow : -cap;
    }
}

WIDEST double variation(const CoscGraph& graph, const double* __restrict D, Offset from, Offset to) {
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (Offset e = from; e < to; ++e)
        sum += graph.weight[e] * std::abs(D[graph.tail[e]] - D[graph.head[e]]);
    return sum;
}

// div a: what leaves less what enters.
WIDEST void divergence(const CoscGraph& graph, const double* __restrict a, double* __restrict div,
                       Offset from, Offset to) {
    for (Offset i = from; i < to; ++i) {
        double leaving = 0, entering = 0;
        for (Offset e = graph.leaving_start[i]; e < graph.leaving_start[i + 1]; ++e) leaving += a[e];
        for (Offset e = graph.entering_start[i]; e < graph.entering_start[i + 1]; ++e)
            entering += a[graph.entering[e]];
        div[i] = leaving - entering;
    }
}

WIDEST Sums above(const double* __restrict x, double threshold, Offset from, Offset to) {
    double sum = 0, count = 0;
#pragma omp simd reduction(+ : sum, count)
    for (Offset i = from; i < to; ++i) {
        sum += x[i] > threshold ? x[i] : 0.0;
        count += x[i] > threshold ? 1.0 : 0.0;
    }
    return {sum, count};
}

WIDEST double largest(const double* __restrict x, Offset from, Offset to) {
    double most = x[from];
#pragma omp simd reduction(max : most)
    for (Offset i = from; i < to; ++i) most = x[i] > most ? x[i] : most;
    return most;
}

// D <- g - (div + momentum (div - before)), the flow's part at the point ahead.
WIDEST void set_flow_part(const double* __restrict g, const double* __restrict div,
                          const double* __restrict before, double momentum, double* __restrict D,
                          Offset from, Offset to) {
    for (Offset i = from; i < to; ++i) D[i] = g[i] - div[i] - momentum * (div[i] - before[i]);
}

WIDEST void add_low_part(const double* __restrict v, const double* __restrict before, double momentum,
                         double* __restrict D, Offset from, Offset to) {
    for (Offset i = from; i < to; ++i) D[i] += v[i] + momentum * (v[i] - before[i]);
}

// D less its projection onto the simplex, whose threshold is known.
WIDEST void cut_off(double* __restrict D, double threshold, Offset from, Offset to) {
    for (Offset i = from; i < to; ++i) D[i] = D[i] < threshold ? D[i] : threshold;
}

WIDEST double squares(const double* __restrict D, Offset from, Offset to) {
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (Offset i = from; i < to; ++i) sum += D[i] * D[i];
    return sum;
}

// The step of v before its projection; it takes the place of what was `before`.
WIDEST void step_nodes(const double* __restrict D, double step, double momentum,
                       const double* __restrict v, double* __restrict before, Offset from, Offset to) {
    for (Offset i = from; i < to; ++i)
        before[i] = v[i] + momentum * (v[i] - before[i]) - step * D[i];
}

WIDEST void project(double threshold, double* __restrict v, Offset from, Offset to) {
    for (Offset i = from; i < to; ++i) v[i] = v[i] > threshold ? v[i] - threshold : 0.0;
}

using Values = std::vector<double>;

class Dual {
public:
    Dual(const CoscGraph& graph, const CoscProblem& problem, CoscState& state)
        : graph_(graph), problem_(problem), state_(state), ranged_(problem.range > 0),
          outer_(ranged_ ? problem.range : 1), D_(graph.n), div_(graph.n), div_before_(graph.n),
          flow_(state.flow, state.flow + graph.m), flow_before_(flow_),
          partial_(chunks_of(std::max(graph.n, graph.m))) {
        if (ranged_) low_.assign(state.low, state.low + graph.n);
        low_before_ = low_;
        set_divergence();
        div_before_ = div_;
    }

    Offset run() {
        Offset done = 0;
        double t = 1, momentum = 0;
        while (done < problem_.most_iterations) {
            iterate(momentum);
            const double next = (1 + std::sqrt(1 + 4 * t * t)) / 2;
            momentum = (t - 1) / next;
            t = next;
            if (++done % kCheckEvery == 0 && good_enough()) break;
        }
        if (done % kCheckEvery) good_enough();
        std::copy(flow_.begin(), flow_.end(), state_.flow);
        std::copy(low_.begin(), low_.end(), state_.low);
        return done;
    }

private:
    const CoscGraph& graph_;
    const CoscProblem& problem_;
    CoscState& state_;
    const bool ranged_;
    const double outer_;
    Values D_, div_, div_before_, flow_, flow_before_, low_, low_before_;
    std::vector<Sums> partial_;
    double high_threshold_ = std::numeric_limits<double>::infinity();
    double low_threshold_ = std::numeric_limits<double>::infinity();

    void iterate(double momentum) {
        set_residual(momentum);
        each_chunk(graph_.m, [&](Offset, Offset from, Offset to) {
            step_edges(graph_, D_.data(), problem_.edge_step, 1 / outer_, momentum, flow_.data(),
                       flow_before_.data(), from, to);
        });
        flow_.swap(flow_before_);
        div_.swap(div_before_);
        set_divergence();
        if (!ranged_) return;
        each_chunk(graph_.n, [&](Offset, Offset from, Offset to) {
            step_nodes(D_.data(), problem_.node_step, momentum, low_.data(), low_before_.data(), from,
                       to);
        });
        low_.swap(low_before_);
        low_threshold_ = simplex_threshold(low_, low_threshold_);
        each_chunk(graph_.n, [&](Offset, Offset from, Offset to) {
            project(low_threshold_, low_.data(), from, to);
        });
    }

    void set_divergence() {
        each_chunk(graph_.n, [&](Offset, Offset from, Offset to) {
            divergence(graph_, flow_.data(), div_.data(), from, to);
        });
    }

    // D at the point that lies ahead of the iterate by its last step times the momentum.
    void set_residual(double momentum) {
        each_chunk(graph_.n, [&](Offset, Offset from, Offset to) {
            set_flow_part(problem_.linear, div_.data(), div_before_.data(), momentum, D_.data(), from,
                          to);
            if (ranged_)
                add_low_part(low_.data(), low_before_.data(), momentum, D_.data(), from, to);
        });
        if (!ranged_) return;
        high_threshold_ = simplex_threshold(D_, high_threshold_);
        each_chunk(graph_.n, [&](Offset, Offset from, Offset to) {
            cut_off(D_.data(), high_threshold_, from, to);
        });
    }

    // The t with sum max(x - t, 0) = 1, by Newton's method: the sum is convex and falls in t, so
    // that after one step from anywhere t can only grow, and it stops after finitely many steps.
    double simplex_threshold(const Values& x, double t) {
        for (int step = 0; step < kMostNewtonSteps; ++step) {
            const Sums over = sum_of_chunks(graph_.n, partial_, [&](Offset from, Offset to) {
                return above(x.data(), t, from, to);
            });
            const double next = over.second > 0 ? (over.first - 1) / over.second : maximum(x) - 1;
            if (next == t || (step > 0 && next < t)) break;
            t = next;
        }
        return t;
    }

    double maximum(const Values& x) {
        each_chunk(graph_.n, [&](Offset c, Offset from, Offset to) {
            partial_[c].first = largest(x.data(), from, to);
        });
        double most = partial_[0].first;
        for (Offset c = 1; c < chunks_of(graph_.n); ++c) most = std::max(most, partial_[c].first);
        return most;
    }

    // Both values at the iterate itself, which unlike the point ahead of it is feasible.
    bool good_enough() {
        set_residual(0);
        const double norm = std::sqrt(sum_of_chunks(graph_.n, partial_, [&](Offset from, Offset to) {
                                          return Sums{squares(D_.data(), from, to), 0};
                                      }).first);
        state_.dual = -outer_ * norm;
        state_.primal = 0;
        std::copy(D_.begin(), D_.end(), state_.x);
        if (outer_ * norm <= kLeastNorm) return true;
        const double steepness = sum_of_chunks(graph_.m, partial_, [&](Offset from, Offset to) {
                                     return Sums{variation(graph_, D_.data(), from, to), 0};
                                 }).first;
        double gain = 0;
        for (Offset i = 0; i < graph_.n; ++i) gain += D_[i] * problem_.linear[i];
        const auto [least, most] = std::minmax_element(D_.begin(), D_.end());
        state_.primal = (steepness + problem_.range * (*most - *least) - outer_ * gain) / norm;
        for (Offset i = 0; i < graph_.n; ++i) state_.x[i] /= norm;
        return state_.primal - state_.dual < kLeastGap * std::abs(state_.dual);
    }
};

}  // namespace

extern "C" Offset cosc_inner(const CoscGraph* graph, const CoscProblem* problem, CoscState* state) {
    return Dual(*graph, *problem, *state).run();
}
