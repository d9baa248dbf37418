// Loops over ranges of rows. The threads share out ranges; the work on a range is an ordinary
// function, where the compiler still knows the width and that blocks do not overlap: inside an
// OpenMP region it would know neither. Included by kernels.cpp once per instruction set.

constexpr Offset kRowsPerTask = 1024;

// The width as a constant: W, or `width` where W = 0 stands for one known at run time only.
template <int W>
constexpr int width_of(int width) {
    return W > 0 ? W : width;
}

// Calls f with the width as a compile-time constant where that is worth a specialisation.
template <class F>
void with_width(int width, F&& f) {
    switch (width) {
        case 1: return f(std::integral_constant<int, 1>{});
        case 4: return f(std::integral_constant<int, 4>{});
        case 8: return f(std::integral_constant<int, 8>{});
        case 12: return f(std::integral_constant<int, 12>{});
        case 16: return f(std::integral_constant<int, 16>{});
        default: return f(std::integral_constant<int, 0>{});
    }
}

// Calls f(first row, last row) on ranges that cover 0 … n, on several threads where it pays.
template <class F>
void for_ranges(Offset n, Offset rows_per_task, F&& f) {
    const Offset n_tasks = (n + rows_per_task - 1) / rows_per_task;
#pragma omp parallel for schedule(dynamic, 1) if (n > kParallelRows)
    for (Offset task = 0; task < n_tasks; ++task)
        f(task * rows_per_task, std::min(n, (task + 1) * rows_per_task));
}

// A small buffer: on the stack when the width is known, else on the heap, once per range.
template <int W, class T>
struct RowBuffer {
    explicit RowBuffer(int) {}
    T* data() { return values; }
    alignas(64) T values[W];
};
template <class T>
struct RowBuffer<0, T> {
    explicit RowBuffer(int width) : values(width) {}
    T* data() { return values.data(); }
    std::vector<T> values;
};
