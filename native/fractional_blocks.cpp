// Where the entries of nodes lie that rows in parts are divided into: in blocks of nodes that were divided
// off together, or, of the nodes that one thread grows, on a stack.
#include "fractional_copy.hpp"
#include "rows_state.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <stdexcept>

namespace deciduous {

using std::int32_t;
using std::int64_t;
using std::size_t;
using std::uint32_t;
using std::uint64_t;
using std::uint8_t;

namespace {

/// Makes room, without a copy of what was there.
template <typename T>
void grow_to(size_t size, std::vector<T> &values) {
    if (values.size() >= size)
        return;
    values.clear();
    values.resize(size);
}

} // namespace

/// Takes the arrays of nodes from a block, or puts them there.
void Rows::State::exchange(Block &block) {
    std::swap(positions, block.size);
    original.swap(block.original);
    classes.swap(block.classes);
    numbers.swap(block.numbers);
    weights.swap(block.weights);
    block.narrow.resize(ordered.size());
    block.wide.resize(ordered.size());
    block.codes.resize(nominal.size());
    for (size_t i = 0; i < ordered.size(); ++i) {
        ordered[i].narrow.swap(block.narrow[i]);
        ordered[i].wide.swap(block.wide[i]);
    }
    for (size_t i = 0; i < nominal.size(); ++i)
        nominal[i].codes.swap(block.codes[i]);
}

/// Makes what is worked out by position as long as the current arrays.
void Rows::State::fit_positions() {
    fit_to(positions);
}

void Rows::State::fit_to(size_t size) {
    grow_to(size, branch);
    grow_to(size, place);
    grow_to(size, places);
    if (!has_classes())
        grow_to(size, deviation);
    if (!has_classes() && about != About::median)
        grow_to(size, rough_deviation);
    if (about != About::median)
        return;
    grow_to(size, ranks);
    grow_to(size, in_order);
    weights_in_order.resize(weights.empty() ? 0 : size);
}

/// Gives the kept branches their places from `end` on: every segment, and where each branch begins.
std::vector<Segment> Rows::State::lay_out(std::span<const uint8_t> kept, int64_t end,
                                          std::vector<int64_t> &homes) const {
    std::vector<Segment> segments;
    homes.assign(kept.size(), -1);
    for (size_t b = 0; b < kept.size(); ++b) {
        if (!kept[b])
            continue;
        homes[b] = end;
        segments.push_back({end, divided.branch_rows[b]});
        end += divided.branch_rows[b] + 1; // a record may be written behind the last one
    }
    return segments;
}

void Rows::State::make_room(Block &block, size_t size, bool weighed) const {
    block.size = size;
    block.narrow.resize(ordered.size());
    block.wide.resize(ordered.size());
    block.codes.resize(nominal.size());
    for (size_t a = 0; a < ordered.size(); ++a)
        is_wide ? grow_to(size + record_padding, block.wide[a])
                : grow_to(size + record_padding, block.narrow[a]);
    for (auto &codes : block.codes)
        grow_to(size, codes);
    grow_to(size, block.original);
    has_classes() ? grow_to(size, block.classes) : grow_to(size, block.numbers);
    if (weighed)
        grow_to(size, block.weights);
    else
        block.weights.clear(); // all 1
}

/// The arrays that entries are copied to: those of a block, or of the nodes themselves.
struct Rows::State::Arrays {
    explicit Arrays(Block &b) : block(&b) {}
    explicit Arrays(State &s) : state(&s) {}

    template <typename R>
    std::vector<R> &records(size_t a) const {
        if constexpr (sizeof(R) == 4)
            return block ? block->narrow[a] : state->ordered[a].narrow;
        else
            return block ? block->wide[a] : state->ordered[a].wide;
    }
    std::vector<int32_t> &codes(size_t a) const { return block ? block->codes[a] : state->nominal[a].codes; }
    std::vector<uint32_t> &original() const { return block ? block->original : state->original; }
    std::vector<int32_t> &classes() const { return block ? block->classes : state->classes; }
    std::vector<double> &numbers() const { return block ? block->numbers : state->numbers; }
    std::vector<double> &weights() const { return block ? block->weights : state->weights; }

    Block *block = nullptr;
    State *state = nullptr;
};

std::vector<Segment> Rows::State::keep_parts(std::span<const uint8_t> kept) {
    std::vector<int64_t> home;
    std::vector<Segment> segments = lay_out(kept, 0, home);
    const auto size =
        segments.empty() ? 0 : static_cast<size_t>(segments.back().start + segments.back().size + 1);
    const bool weighed = !weights.empty() || std::any_of(missing_rows.begin(), missing_rows.end(),
                                                         [](int64_t rows) { return rows > 0; });
    Block next = std::move(blocks.spare);
    blocks.spare = {};
    make_room(next, size, weighed);
    const auto runs = runs_of(divided.nodes);
    const size_t n_arrays = ordered.size() + nominal.size() + 1;
    const auto move = [&](size_t task, size_t thread) {
        const size_t a = task / runs.size();
        for (size_t k = runs[task % runs.size()].first; k < runs[task % runs.size()].second; ++k)
            copy_array(a, k, home, Arrays{next}, scratch[thread]);
    };
    share(runs.size() * n_arrays, n_rows_of(divided.nodes) * static_cast<int64_t>(n_arrays), move);
    enter(std::move(next), static_cast<int64_t>(segments.size()));
    return segments;
}

/// Distributes one array of one divided node: an ordered feature, a nominal one, or what is kept by position.
void Rows::State::copy_array(size_t array, size_t node, std::span<const int64_t> home, const Arrays &to,
                             Scratch &memory) const {
    const auto first = static_cast<size_t>(divided.first_branch[node]),
               n_branches = static_cast<size_t>(divided.first_branch[node + 1]) - first;
    const Homes homes{home.subspan(first, n_branches), std::span(known_rows).subspan(first, n_branches),
                      std::span(shares).subspan(first, n_branches)};
    if (std::all_of(homes.start.begin(), homes.start.end(), [](int64_t start) { return start < 0; }))
        return;
    const auto begin = static_cast<size_t>(divided.nodes[node].start);
    const std::span<const int32_t> branches(branch.data() + begin,
                                            static_cast<size_t>(divided.nodes[node].size));
    if (array < ordered.size()) {
        is_wide ? copy_records(ordered[array].wide, node, homes, to.records<uint64_t>(array))
                : copy_records(ordered[array].narrow, node, homes, to.records<uint32_t>(array));
        return;
    }
    const auto copy = [&](const auto &values, auto &into, auto &spare, auto part) {
        if (!values.empty())
            copy_parts(values.data() + begin, branches, homes, into, memory.next, spare, part);
    };
    if (const size_t column = array - ordered.size(); column < nominal.size()) {
        copy(nominal[column].codes, to.codes(column), memory.codes, whole_value);
        return;
    }
    copy(original, to.original(), memory.narrow, whole_value);
    copy(classes, to.classes(), memory.codes, whole_value);
    copy(numbers, to.numbers(), memory.numbers, whole_value);
    copy(weights, to.weights(), memory.numbers, part_of_value);
    if (weights.empty() && !to.weights().empty()) {
        memory.weights.assign(branches.size(), 1.0);
        copy_parts(memory.weights.data(), branches, homes, to.weights(), memory.next, memory.numbers,
                   part_of_value);
    }
}

template <typename R, typename H>
void Rows::State::copy_records(const std::vector<R> &records, size_t node, const H &homes,
                               std::vector<R> &to) const {
    const auto begin = static_cast<size_t>(divided.nodes[node].start),
               size = static_cast<size_t>(divided.nodes[node].size);
    if (homes.size() == 2) {
        const auto at = [&](size_t b) { return to.data() + std::max<int64_t>(homes.start[b], 0); };
        copy_to_two(records.data() + begin, size, packing<R>(), places.data() + begin, at(0), at(1),
                    homes.start[0] >= 0, homes.start[1] >= 0);
        return;
    }
    copy_to_many(records.data() + begin, std::span(branch).subspan(begin, size), packing<R>(),
                 place.data() + begin, homes, to);
}

// --- blocks ----------------------------------------------------------------------------------------------

/// Puts the current arrays back into their block; one that no node waits in gives its memory away.
void Rows::State::put_aside() {
    const auto block = blocks.all.find(blocks.current);
    exchange(block->second);
    if (block->second.waiting > 0)
        return;
    blocks.spare = std::move(block->second);
    blocks.all.erase(block);
}

/// Makes a new block the current one; the nodes that were divided wait no longer.
void Rows::State::enter(Block &&next, int64_t waiting) {
    blocks.all.at(blocks.current).waiting -= static_cast<int64_t>(divided.nodes.size());
    put_aside();
    blocks.current = ++blocks.newest;
    exchange(next);
    blocks.all[blocks.current].waiting = waiting;
    fit_positions();
}

void Rows::State::take_back(int64_t block) {
    if (block == blocks.current)
        return;
    if (!blocks.all.contains(block))
        throw std::invalid_argument("the rows of these nodes were let go");
    put_aside();
    exchange(blocks.all.at(block));
    blocks.current = block;
    fit_positions();
}

void Rows::State::let_go(int64_t block, int64_t n_nodes) {
    const auto found = blocks.all.find(block);
    if (found == blocks.all.end() || n_nodes < 0 || n_nodes > found->second.waiting)
        throw std::invalid_argument("more nodes are let go than there are");
    found->second.waiting -= n_nodes;
    if (found->second.waiting == 0 && block != blocks.current)
        blocks.all.erase(found);
}

// --- the stack of one thread -----------------------------------------------------------------------------

/// What all rows share, and no rows yet.
std::unique_ptr<Rows::State> Rows::State::without_rows() const {
    auto state = std::make_unique<State>();
    state->columns = columns;
    state->n_categories = n_categories;
    state->n_classes = n_classes;
    state->width = width;
    state->is_wide = is_wide;
    state->narrow_packing = narrow_packing;
    state->wide_packing = wide_packing;
    state->is_sorted = true;
    state->in_parts = true;
    state->asked = asked;
    for (const Ordered &feature : ordered) {
        Ordered &added = state->ordered.emplace_back();
        added.feature = feature.feature;
        added.has_missing = feature.has_missing;
        added.may_be_close = feature.may_be_close;
        added.bins = feature.bins;
    }
    for (const Nominal &feature : nominal)
        state->nominal.emplace_back().feature = feature.feature;
    return state;
}

/// Takes over the entries of a node, which are then the only ones.
void Rows::State::take_node(const State &from, const Segment &node) {
    const auto size = static_cast<size_t>(node.size);
    const auto take = [&](const auto &values, auto &into, size_t length) {
        const auto first = values.begin() + static_cast<std::ptrdiff_t>(node.start);
        if (into.size() < length)
            into.resize(length);
        std::copy_n(first, size, into.begin());
    };
    for (size_t a = 0; a < ordered.size(); ++a)
        is_wide ? take(from.ordered[a].wide, ordered[a].wide, size + record_padding)
                : take(from.ordered[a].narrow, ordered[a].narrow, size + record_padding);
    for (size_t a = 0; a < nominal.size(); ++a)
        take(from.nominal[a].codes, nominal[a].codes, size);
    take(from.original, original, size);
    take(from.classes, classes, size);
    if (from.weights.empty()) {
        weights.resize(std::max(weights.size(), size));
        std::fill_n(weights.begin(), size, 1.0);
    } else {
        take(from.weights, weights, size);
    }
}

/// Copies the entries of the kept branches of the node that was divided behind it: its children, the last of
/// which is to be divided first.
std::vector<Segment> Rows::State::stack_parts(std::span<const uint8_t> kept, Scratch &memory) {
    const Segment &node = divided.nodes.front();
    std::vector<int64_t> home;
    std::vector<Segment> segments = lay_out(kept, node.start + node.size + 1, home);
    const auto size = static_cast<size_t>(segments.back().start + segments.back().size + 1);
    const auto reach = [](size_t length, auto &values) {
        if (values.size() < length)
            values.resize(length);
    };
    for (Ordered &feature : ordered)
        is_wide ? reach(size + record_padding, feature.wide) : reach(size + record_padding, feature.narrow);
    for (Nominal &feature : nominal)
        reach(size, feature.codes);
    reach(size, original);
    reach(size, classes);
    reach(size, weights);
    for (size_t array = 0; array < n_arrays(); ++array)
        copy_array(array, 0, home, Arrays{*this}, memory);
    return segments;
}

} // namespace deciduous
