// Moving the rows of the branches that will be searched together.
#include "rows_state.hpp"

#include <cstring>

namespace deciduous {

using std::int32_t;
using std::int64_t;
using std::size_t;
using std::uint32_t;
using std::uint8_t;

/// Where the kept branches of a node begin, counted from its start; returns the rows kept.
size_t Rows::State::set_next(const Division &division, size_t node, std::span<const uint8_t> kept,
                             std::vector<size_t> &next) const {
    const auto first = static_cast<size_t>(division.first_branch[node]),
               end = static_cast<size_t>(division.first_branch[node + 1]);
    next.resize(end - first);
    size_t offset = 0;
    for (size_t b = first; b < end; ++b) {
        next[b - first] = offset;
        offset += kept[b] ? static_cast<size_t>(division.branch_rows[b]) : 0;
    }
    return offset;
}

/// Distributes the records of a node to its kept branches.
template <typename R>
void Rows::State::partition(std::vector<R> &records, const Division &division, size_t node,
                            std::span<const uint8_t> kept, Scratch &memory) const {
    const auto first = static_cast<size_t>(division.first_branch[node]),
               end = static_cast<size_t>(division.first_branch[node + 1]);
    const Segment &segment = division.nodes[node];
    R *const begin = records.data() + segment.start;
    const auto size = static_cast<size_t>(segment.size);
    auto &spare = memory.template records<R>();
    if (spare.size() < size + record_padding)
        spare.resize(size + record_padding);
    if (end - first != 2) {
        partition_many(begin, division, node, kept, memory);
        return;
    }
    const size_t n_left =
        divide_in_two(begin, size, packing<R>(), place.data() + segment.start, spare.data());
    if (kept[first + 1]) // without the first branch, the second begins where the node began
        std::memcpy(kept[first] ? begin + n_left : begin, spare.data(), (size - n_left) * sizeof(R));
}

template <typename R>
void Rows::State::partition_many(R *begin, const Division &division, size_t node,
                                 std::span<const uint8_t> kept, Scratch &memory) const {
    const Packing<R> &pack = packing<R>();
    const Segment &segment = division.nodes[node];
    const auto first = static_cast<size_t>(division.first_branch[node]);
    const size_t n_kept = set_next(division, node, kept, memory.next);
    auto &spare = memory.template records<R>();
    const uint32_t *const where = place.data() + segment.start;
    const int32_t *const branches = branch.data() + segment.start;
    std::vector<int64_t> last_value(memory.next.size(), -1);
    int64_t value = 0;
    for (int64_t i = 0; i < segment.size; ++i) {
        const R record = begin[i];
        const uint32_t row = pack.row(record);
        const auto b = static_cast<size_t>(branches[row]);
        value += Packing<R>::start(record);
        if (!kept[first + b])
            continue;
        const bool start = last_value[b] != value && value > 0;
        last_value[b] = value;
        spare[memory.next[b]++] =
            static_cast<R>((record & pack.class_mask) | where[row] | R{start} << Packing<R>::top);
    }
    std::memcpy(begin, spare.data(), n_kept * sizeof(R));
}

/// Moves what is kept by position to the kept branches, in order.
template <typename T>
void Rows::State::gather(std::vector<T> &values, const Division &division, size_t node,
                         std::span<const uint8_t> kept, std::vector<T> &spare,
                         std::vector<size_t> &next) const {
    if (values.empty())
        return;
    const size_t n_kept = set_next(division, node, kept, next);
    const auto first = static_cast<size_t>(division.first_branch[node]);
    if (spare.size() < n_kept)
        spare.resize(n_kept);
    const auto begin = static_cast<size_t>(division.nodes[node].start);
    for (size_t i = 0; i < static_cast<size_t>(division.nodes[node].size); ++i) {
        const auto b = static_cast<size_t>(branch[begin + i]);
        if (kept[first + b])
            spare[next[b]++] = values[begin + i];
    }
    std::copy_n(spare.begin(), n_kept, values.begin() + division.nodes[node].start);
}

/// Ordered features, then nominal ones, then what is kept by position: all independent of each other.
void Rows::State::move_array(size_t array, const Division &division, size_t node,
                             std::span<const uint8_t> kept, Scratch &memory) {
    if (array < ordered.size() && is_wide) {
        partition(ordered[array].wide, division, node, kept, memory);
    } else if (array < ordered.size()) {
        partition(ordered[array].narrow, division, node, kept, memory);
    } else if (array + 1 < n_arrays()) {
        gather(nominal[array - ordered.size()].codes, division, node, kept, memory.codes, memory.next);
    } else {
        gather(original, division, node, kept, memory.narrow, memory.next);
        gather(classes, division, node, kept, memory.codes, memory.next);
        gather(numbers, division, node, kept, memory.numbers, memory.next);
        gather(weights, division, node, kept, memory.numbers, memory.next);
    }
}

std::vector<Segment> Rows::keep(std::span<const uint8_t> kept) {
    State &s = *state_;
    s.sort_features();
    if (s.in_parts)
        return s.keep_parts(kept);
    const State::Division &division = s.divided;
    std::vector<Segment> segments;
    std::vector<uint8_t> moves(division.nodes.size()); // nodes with a kept branch
    for (size_t k = 0; k < division.nodes.size(); ++k) {
        int64_t start = division.nodes[k].start;
        for (auto b = static_cast<size_t>(division.first_branch[k]);
             b < static_cast<size_t>(division.first_branch[k + 1]); ++b) {
            if (!kept[b])
                continue;
            segments.push_back({start, division.branch_rows[b]});
            start += division.branch_rows[b];
            moves[k] = 1;
        }
    }
    const auto runs = runs_of(division.nodes);
    const auto move = [&](size_t task, size_t thread) {
        for (size_t k = runs[task % runs.size()].first; k < runs[task % runs.size()].second; ++k)
            if (moves[k])
                s.move_array(task / runs.size(), division, k, kept, s.scratch[thread]);
    };
    s.share(runs.size() * s.n_arrays(), n_rows_of(division.nodes) * static_cast<int64_t>(s.n_arrays()), move);
    return segments;
}

} // namespace deciduous
