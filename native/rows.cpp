#include "pages.hpp"
#include "rows_state.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace deciduous {

using std::int32_t;
using std::int64_t;
using std::size_t;
using std::uint32_t;
using std::uint64_t;

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

} // namespace deciduous
