// The threads that work on nodes under missing="surrogates", and the memory of each.
#pragma once

#include "threads.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

namespace deciduous {

/// Weight, sum of deviations, sum of their squares.
using Moments = std::array<double, 3>;

/// What a thread writes down while it works, kept from node to node.
struct SurrogateMemory {
    static constexpr std::size_t most_columns = 4; // that are added up side by side

    /// What goes to the second branch while a range is divided.
    std::tuple<std::vector<std::uint32_t>, std::vector<std::uint64_t>> aside;
    std::vector<std::uint64_t> starts, second; // a bit a row of a column
    std::vector<std::int8_t> sides;
    std::vector<std::int64_t> begins;  // before each box
    std::vector<double> numbers;       // of columns side by side, and their boxes
    std::vector<std::uint32_t> counts; // of categories
    std::vector<double> sums;
};

/// Some threads, each with its memory, which is borrowed.
class SurrogateCrew {
public:
    SurrogateCrew(std::span<SurrogateMemory> memory, Poll poll) : memory_(memory), poll_(std::move(poll)) {}

    std::size_t n_threads() const { return memory_.size(); }
    const Poll &poll() const { return poll_; }
    /// One of the threads alone; only the first one is the one that was asked, and may ask back.
    SurrogateCrew alone(std::size_t thread) const {
        return {memory_.subspan(thread, 1), thread == 0 ? poll_ : Poll()};
    }

    /// Calls work(task, memory) for tasks 0 .. n_tasks-1 that look at so many cells.
    template <typename Work>
    void each(std::size_t n_tasks, std::size_t n_cells, Work work) const {
        if (n_cells < few_cells)
            for (std::size_t task = 0; task < n_tasks; ++task)
                work(task, memory_[0]);
        else
            share_out(
                n_tasks, n_threads(),
                [&](std::size_t task, std::size_t thread) { work(task, memory_[thread]); }, poll_);
    }

    /// Fewer cells than this are looked at sooner than threads are started.
    static constexpr std::size_t few_cells = 100'000;

private:
    std::span<SurrogateMemory> memory_;
    Poll poll_;
};

} // namespace deciduous
