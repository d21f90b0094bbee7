#include "pages.hpp"
#include "rows_state.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace deciduous {

using std::int32_t;
using std::int64_t;
using std::size_t;
using std::uint32_t;
using std::uint64_t;
using std::uint8_t;

int64_t n_rows_of(std::span<const Segment> nodes) {
    int64_t rows = 0;
    for (const Segment &node : nodes)
        rows += node.size;
    return rows;
}

std::vector<std::pair<size_t, size_t>> runs_of(std::span<const Segment> nodes) {
    constexpr int64_t rows_of_a_task = 16'384;
    std::vector<std::pair<size_t, size_t>> runs;
    int64_t rows = 0;
    size_t first = 0;
    for (size_t k = 0; k < nodes.size(); ++k) {
        rows += nodes[k].size;
        if (rows >= rows_of_a_task || k + 1 == nodes.size()) {
            runs.emplace_back(first, k + 1);
            first = k + 1;
            rows = 0;
        }
    }
    return runs;
}

// --- setting up ------------------------------------------------------------------------------------------

/// Puts the rows in order of the target: every node then has its numbers in order.
void Rows::State::order_by(std::span<const double> target) {
    SortScratch memory;
    const SortedCells sorted = sort_cells({CellType::number, target.data(), 1}, original, memory);
    std::vector<uint32_t> rows(original.size());
    std::transform(sorted.order.begin(), sorted.order.end(), rows.begin(),
                   [&](uint64_t cell) { return original[SortedCells::position(cell)]; });
    original.swap(rows);
}

/// Takes the rows in their order, or about the median in order of the target.
void Rows::State::take_rows(const Target &target, std::span<const int64_t> rows) {
    n = static_cast<int64_t>(rows.size());
    positions = rows.size();
    n_classes = target.classes.empty() ? 0 : target.n_classes;
    width = has_classes() ? static_cast<size_t>(n_classes) : 3;
    about = target.about;
    original.resize(rows.size());
    classes.resize(has_classes() ? rows.size() : 0);
    numbers.resize(has_classes() ? 0 : rows.size());
    weights.resize(target.weights.empty() ? 0 : rows.size());
    std::transform(rows.begin(), rows.end(), original.begin(),
                   [](int64_t row) { return static_cast<uint32_t>(row); });
    if (about == About::median)
        order_by(target.numbers);
    for (size_t i = 0; i < rows.size(); ++i) {
        const auto row = static_cast<size_t>(original[i]);
        if (has_classes())
            classes[i] = target.classes[row];
        else
            numbers[i] = target.numbers[row];
        if (!weights.empty())
            weights[i] = target.weights[row];
    }
    deviation.resize(numbers.size());
    rough_deviation.resize(about == About::median ? 0 : numbers.size());
    branch.resize(rows.size());
    place.resize(rows.size());
    const unsigned row_bits = bits_for(rows.size()),
                   class_bits = bits_for(static_cast<uint64_t>(std::max(n_classes, 1)));
    is_wide = row_bits + class_bits > 31;
    if (is_wide)
        wide_packing = Packing<uint64_t>(row_bits, class_bits);
    else
        narrow_packing = Packing<uint32_t>(row_bits, class_bits);
}

void Rows::State::add_feature(int32_t feature) {
    const Column &column = columns[static_cast<size_t>(feature)];
    if (column.type == CellType::absent)
        return;
    const bool is_nominal = n_categories[static_cast<size_t>(feature)] > 0;
    asked.push_back({is_nominal, is_nominal ? nominal.size() : ordered.size()});
    if (!is_nominal) {
        ordered.emplace_back().feature = feature;
        return;
    }
    Nominal &added = nominal.emplace_back();
    added.feature = feature;
    added.codes.reserve(original.size());
    for (const uint32_t row : original)
        added.codes.push_back(column.code(row));
}

template <typename R>
void Rows::State::sort_feature(Ordered &feature, size_t key, SortScratch &memory) {
    const SortedCells sorted = sort_keys(key, memory);
    if (max_bins > 0)
        feature.bins = put_in_bins(sorted.order, max_bins,
                                   [&](uint32_t i) { return value(feature.feature, original[i]); });
    auto &records = feature.template records<R>();
    records.resize(original.size() + record_padding);
    const auto class_of = [&](uint32_t i) { return has_classes() ? static_cast<uint32_t>(classes[i]) : 0U; };
    const Packing<R> &pack = packing<R>();
    R *next = records.data();
    for (const uint64_t cell : sorted.order) {
        const uint32_t i = SortedCells::position(cell);
        *next++ = pack.pack(SortedCells::start(cell), class_of(i), i);
    }
    for (const uint32_t i : sorted.missing) // behind the known ones, wherever the rows go
        *next++ = pack.pack(false, class_of(i), i);
    feature.has_missing = !sorted.missing.empty();
}

/// Sorts the ordered features, once.
void Rows::State::sort_features() {
    if (is_sorted)
        return;
    is_sorted = true;
    const auto n_records = original.size() + record_padding;
    for (Ordered &feature : ordered)
        is_wide ? reserve_large(feature.wide, n_records) : reserve_large(feature.narrow, n_records);
    // Neighbours are read together, as many as take a fifth of the memory of the table.
    const size_t together = std::clamp<size_t>(ordered.size() / (5 * n_threads), 1, 4);
    std::vector<SortScratch> memory(n_threads);
    const size_t n_groups = (ordered.size() + together - 1) / together;
    share(n_groups, n * static_cast<int64_t>(ordered.size()), [&](size_t group, size_t thread) {
        const size_t first = group * together, end = std::min(first + together, ordered.size());
        std::vector<Column> neighbours;
        for (size_t i = first; i < end; ++i)
            neighbours.push_back(columns[static_cast<size_t>(ordered[i].feature)]);
        read_keys(neighbours, original, memory[thread]);
        for (size_t i = first; i < end; ++i)
            is_wide ? sort_feature<uint64_t>(ordered[i], i - first, memory[thread])
                    : sort_feature<uint32_t>(ordered[i], i - first, memory[thread]);
    });
}

/// Gives the memory of the rows back; there is none left to be divided or searched.
void Rows::State::release() {
    n = 0;
    positions = 0;
    for (auto *values : {&original, &place, &ranks})
        std::vector<uint32_t>().swap(*values);
    for (auto *values : {&classes, &branch})
        std::vector<int32_t>().swap(*values);
    for (auto *values : {&numbers, &weights, &deviation, &in_order, &weights_in_order})
        std::vector<double>().swap(*values);
    std::vector<float>().swap(rough_deviation);
    for (Ordered &feature : ordered) {
        std::vector<uint32_t>().swap(feature.narrow);
        std::vector<uint64_t>().swap(feature.wide);
    }
    for (Nominal &feature : nominal)
        std::vector<int32_t>().swap(feature.codes);
    scratch.assign(scratch.size(), Scratch(width));
}

Rows::Rows(std::vector<Column> columns, std::vector<int32_t> n_categories, const Target &target,
           std::span<const int64_t> rows, size_t max_bins, bool in_parts, size_t n_threads, Poll poll)
    : state_(std::make_unique<State>()) {
    State &s = *state_;
    if (rows.size() >= second_branch)
        throw std::invalid_argument("at most 2,147,483,647 rows can be grown on");
    s.columns = std::move(columns);
    s.n_categories = std::move(n_categories);
    s.max_bins = max_bins;
    s.in_parts = in_parts;
    s.n_threads = std::max<size_t>(1, n_threads);
    s.poll = std::move(poll);
    s.take_rows(target, rows);
    for (size_t f = 0; f < s.columns.size(); ++f)
        s.add_feature(static_cast<int32_t>(f));
    s.scratch.assign(s.n_threads, State::Scratch(s.width));
    if (in_parts) {
        s.sort_features();
        s.fit_positions();
    }
}

Rows::~Rows() = default;

size_t Rows::n_positions() const {
    return state_->positions;
}

size_t Rows::n_asked() const {
    return state_->asked.size();
}

int64_t Rows::block() const {
    return state_->blocks.current;
}

void Rows::take_back(int64_t block) {
    state_->take_back(block);
}

void Rows::let_go(int64_t block, int64_t n_nodes) {
    if (state_->in_parts)
        state_->let_go(block, n_nodes);
}

// --- dividing --------------------------------------------------------------------------------------------

/// Cells of a node lie far apart in memory: they are asked for this many rows early.
constexpr int64_t cells_ahead = 16;

/// Works out the branch of every row of a node with the routine of the walk down a tree.
void Rows::State::branches_of(const Segment &node, const Question &question) {
    if (question.index >= 0) {
        is_wide ? branches_by_order<uint64_t>(node, question) : branches_by_order<uint32_t>(node, question);
        return;
    }
    const Column &column = columns[static_cast<size_t>(question.feature)];
    const Test test = test_of(question.kind, column.type);
    const std::span<const int32_t> codes = question.branch_of_code;
    const auto ask = [&](const Column &cells, int64_t row) {
        const int32_t answer =
            branch_of(test, question.threshold, codes.data(), static_cast<int32_t>(codes.size()), cells, row);
        return answer < 0 ? question.missing_branch : answer;
    };
    const int64_t end = node.start + node.size;
    const auto of_question = [&](const Nominal &feature) { return feature.feature == question.feature; };
    const auto kept = std::find_if(nominal.begin(), nominal.end(), of_question);
    if (kept != nominal.end()) { // its codes lie by position
        const Column by_position{column.type, kept->codes.data(), 1};
        for (int64_t i = node.start; i < end; ++i)
            branch[static_cast<size_t>(i)] = ask(by_position, i);
        return;
    }
    for (int64_t i = node.start; i < end; ++i) {
        if (i + cells_ahead < end)
            column.prefetch(original[static_cast<size_t>(i + cells_ahead)]);
        branch[static_cast<size_t>(i)] = ask(column, original[static_cast<size_t>(i)]);
    }
}

/// The records of a node whose cell is known: they come first.
template <typename R>
size_t Rows::State::n_known_of(Ordered &feature, const Segment &node) {
    if (!feature.has_missing)
        return static_cast<size_t>(node.size);
    const R *const records = feature.template records<R>().data() + node.start;
    const auto known = [&](const R &record) {
        const auto row = static_cast<size_t>(node.start) + packing<R>().row(record);
        return !is_missing(feature.feature, original[row]);
    };
    return static_cast<size_t>(std::partition_point(records, records + node.size, known) - records);
}
template size_t Rows::State::n_known_of<uint32_t>(Ordered &, const Segment &);
template size_t Rows::State::n_known_of<uint64_t>(Ordered &, const Segment &);

/// The branches of a threshold that was just found, from the sorted records that it lies between: no cell is
/// read. The threshold tells the two neighbouring values apart (`Description::threshold`), so that the walk
/// down the tree finds the same branches.
template <typename R>
void Rows::State::branches_by_order(const Segment &node, const Question &question) {
    const auto of_question = [&](const Ordered &feature) { return feature.feature == question.feature; };
    Ordered &feature = *std::find_if(ordered.begin(), ordered.end(), of_question);
    const R *const records = feature.template records<R>().data() + node.start;
    int32_t *const branches = branch.data() + node.start;
    const auto known = static_cast<int64_t>(n_known_of<R>(feature, node));
    for (int64_t i = 0; i < known; ++i)
        branches[packing<R>().row(records[i])] = i >= question.index;
    for (int64_t i = known; i < node.size; ++i)
        branches[packing<R>().row(records[i])] = question.missing_branch;
}

/// Counts the rows of the branches of a divided node, gives every row its place in its branch, and summarises
/// the branches.
void Rows::State::summarise_node(Division &division, size_t node, Scratch &memory, Summaries &summaries) {
    const Segment &segment = division.nodes[node];
    const auto first = static_cast<size_t>(division.first_branch[node]),
               n_branches = static_cast<size_t>(division.first_branch[node + 1]) - first;
    const auto begin = static_cast<size_t>(segment.start), end = begin + static_cast<size_t>(segment.size);
    int64_t *const rows = division.branch_rows.data() + first;
    const uint32_t mark = n_branches == 2 ? second_branch : 0;
    for (size_t i = begin; i < end; ++i) {
        const auto b = static_cast<size_t>(branch[i]);
        place[i] = static_cast<uint32_t>(rows[b]++) | (b == 1 ? mark : 0);
    }
    if (has_classes()) {
        double *const lines = summaries.classes.data() + first * width;
        for (size_t i = begin; i < end; ++i)
            lines[static_cast<size_t>(branch[i]) * width + static_cast<size_t>(classes[i])] +=
                weights.empty() ? 1.0 : weights[i];
        for (size_t b = 0; b < n_branches; ++b)
            set_classes(first + b, summaries);
        return;
    }
    for (size_t b = 0; b < n_branches; ++b) {
        memory.numbers.clear();
        memory.weights.clear();
        for (size_t i = begin; i < end; ++i)
            if (static_cast<size_t>(branch[i]) == b) {
                memory.numbers.push_back(numbers[i]);
                if (!weights.empty())
                    memory.weights.push_back(weights[i]);
            }
        set_numbers(first + b, centred(about, memory.numbers, memory.weights, memory.set), summaries);
    }
}

/// Of class weights that are there.
void Rows::State::set_classes(size_t at, Summaries &summaries) const {
    const auto line = std::span<const double>(summaries.classes).subspan(at * width, width);
    summaries.weight[at] = std::accumulate(line.begin(), line.end(), 0.0);
    summaries.pure[at] = std::count_if(line.begin(), line.end(), [](double w) { return w > 0.0; }) <= 1;
}

void Rows::State::set_numbers(size_t at, const Centred &found, Summaries &summaries) const {
    summaries.weight[at] = found.weight;
    summaries.pure[at] = found.pure;
    summaries.value[at] = found.value;
    summaries.impurity[at] = found.impurity;
    summaries.centre[at] = found.centre;
    summaries.scale[at] = found.scale;
}

/// Makes room for what will be known of the branches.
void Rows::State::make_room(Division &division, Summaries &summaries) const {
    const auto n_branches = static_cast<size_t>(division.first_branch.back());
    division.branch_rows.assign(n_branches, 0);
    summaries.weight.resize(n_branches);
    summaries.pure.resize(n_branches);
    summaries.classes.assign(has_classes() ? n_branches * width : 0, 0.0);
    for (auto *values : {&summaries.value, &summaries.impurity, &summaries.centre, &summaries.scale})
        values->resize(has_classes() ? 0 : n_branches);
}

/// Summarises the branches of the divided nodes.
Summaries Rows::State::summarise() {
    Summaries summaries;
    make_room(divided, summaries);
    known_rows.assign(in_parts ? divided.branch_rows.size() : 0, 0);
    missing_rows.assign(in_parts ? divided.nodes.size() : 0, 0);
    const auto runs = runs_of(divided.nodes);
    share(runs.size(), n_rows_of(divided.nodes), [&](size_t run, size_t thread) {
        for (size_t k = runs[run].first; k < runs[run].second; ++k)
            shares.empty() ? summarise_node(divided, k, scratch[thread], summaries)
                           : summarise_parts(k, scratch[thread], summaries);
    });
    summaries.rows = divided.branch_rows;
    return summaries;
}

Summaries Rows::root() {
    State &s = *state_;
    s.divided.nodes.assign(1, {0, s.n});
    s.divided.first_branch = {0, 1};
    std::fill(s.branch.begin(), s.branch.end(), 0);
    return s.summarise();
}

Summaries Rows::divide(std::span<const Segment> nodes, std::span<const Question> questions) {
    State &s = *state_;
    s.divided.nodes.assign(nodes.begin(), nodes.end());
    auto &first_branch = s.divided.first_branch;
    first_branch.assign(1, 0);
    for (const Question &question : questions)
        first_branch.push_back(first_branch.back() + question.n_branches);
    s.shares.clear();
    for (const Question &question : questions)
        s.shares.insert(s.shares.end(), question.shares.begin(), question.shares.end());
    const auto runs = runs_of(nodes);
    s.share(runs.size(), n_rows_of(nodes), [&](size_t run, size_t) {
        for (size_t k = runs[run].first; k < runs[run].second; ++k)
            s.branches_of(nodes[k], questions[k]);
    });
    return s.summarise();
}

// --- keeping the branches that will be searched ----------------------------------------------------------

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
