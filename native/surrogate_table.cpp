#include "surrogate_table.hpp"

#include "sorting.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

namespace deciduous {
namespace {

using std::int32_t;
using std::int64_t;
using std::size_t;
using std::uint32_t;
using std::uint64_t;

/// Sorts the cells of a column. `is_second`: by row, if there are two classes.
void read_ordered(SurrogateTable::Feature &feature, const Column &column,
                  std::span<const std::uint8_t> is_second, size_t n_rows, std::span<const uint32_t> rows,
                  SortScratch &scratch) {
    feature.whole = column.type == CellType::code;
    feature.cells = column;
    if (feature.whole) {
        feature.places.reserve(n_rows);
        for (int64_t row = 0; row < static_cast<int64_t>(n_rows); ++row) {
            const int32_t code = column.code(row);
            feature.places.push_back(code < 0 ? std::numeric_limits<double>::quiet_NaN() : code);
        }
        feature.cells = {CellType::number, feature.places.data(), 1};
    }
    const SortedCells sorted = sort_cells(feature.cells, rows, scratch);
    feature.order.resize(rows.size());
    OrderedRow *next = feature.order.data();
    const bool all = rows.size() == n_rows; // then positions are numbers of rows
    const auto add = [&](uint32_t position, uint32_t bits) {
        const uint32_t row = all ? position : rows[position];
        *next++ = OrderedRow(row | bits | (is_second.empty() ? 0 : is_second[row] * OrderedRow::second_bit));
    };
    for (const uint64_t cell : sorted.order)
        add(SortedCells::position(cell), SortedCells::start(cell) * OrderedRow::start_bit);
    for (const uint32_t position : sorted.missing)
        add(position, OrderedRow::missing_bit);
    feature.distinct = std::all_of(sorted.order.begin(), sorted.order.end(),
                                   [](uint64_t c) { return SortedCells::start(c); });
}

/// Puts the codes of a column into its field. Rows that take no part may have any.
void read_nominal(SurrogateTable::Pack &pack, const SurrogateTable::Feature &feature, const Column &column) {
    const auto n = static_cast<int64_t>(pack.rows.size());
    for (int64_t row = 0; row < n; ++row) {
        const int32_t code = column.code(row);
        const bool known = code >= 0 && code < feature.n_categories;
        pack.rows[static_cast<size_t>(row)] |= static_cast<uint64_t>(known ? code + 1 : 0)
                                               << (pack.bits * feature.field);
    }
}

void refuse_codes_beyond(const SurrogateTable::Feature &feature, const Column &column,
                         std::span<const uint32_t> rows) {
    int32_t most = -1;
    for (const uint32_t row : rows)
        most = std::max(most, column.code(row));
    if (most >= feature.n_categories)
        throw std::invalid_argument("column " + std::to_string(feature.column) +
                                    " has a code beyond its categories");
}

} // namespace

SurrogateTable::SurrogateTable(std::span<const Column> columns, std::span<const int32_t> n_categories,
                               SurrogateTarget given, size_t n_rows, std::span<const int64_t> rows,
                               size_t n_threads, const Poll &poll)
    : place(columns.size(), -1), target(std::move(given)), n_rows_(n_rows) {
    const std::vector<uint32_t> own(rows.begin(), rows.end());
    for (size_t c = 0; c < columns.size(); ++c)
        if (columns[c].type != CellType::absent) {
            place[c] = static_cast<int32_t>(features.size());
            features.emplace_back();
            features.back().column = static_cast<int32_t>(c);
            features.back().n_categories = n_categories[c];
        }
    share_out_nominal();
    std::vector<size_t> ordered;
    for (size_t f = 0; f < features.size(); ++f)
        if (!features[f].is_nominal())
            ordered.push_back(f);
    std::vector<SortScratch> scratch(n_threads);
    std::vector<std::uint8_t> is_second;
    if (target.n_classes == 2)
        for (const int32_t k : target.classes)
            is_second.push_back(k == 1);
    const auto column_of = [&](size_t f) { return columns[static_cast<size_t>(features[f].column)]; };
    share_out(
        ordered.size() + packs.size(), n_threads,
        [&](size_t task, size_t thread) {
            if (task < ordered.size()) {
                const size_t f = ordered[task];
                read_ordered(features[f], column_of(f), is_second, n_rows_, own, scratch[thread]);
                return;
            }
            Pack &pack = packs[task - ordered.size()];
            pack.rows.resize(n_rows_);
            for (const size_t f : pack.features) {
                refuse_codes_beyond(features[f], column_of(f), own);
                read_nominal(pack, features[f], column_of(f));
            }
        },
        poll);
}

std::unique_ptr<SurrogateStore> SurrogateTable::take_store() const {
    const std::lock_guard lock(leaving_);
    if (left_.empty())
        return std::make_unique<SurrogateStore>();
    std::unique_ptr<SurrogateStore> store = std::move(left_.back());
    left_.pop_back();
    return store;
}

void SurrogateTable::leave(std::unique_ptr<SurrogateStore> store) const {
    const std::lock_guard lock(leaving_);
    left_.push_back(std::move(store));
}

/// Puts features of few categories into as few packs as they need, about as many in each; others have one of
/// their own.
void SurrogateTable::share_out_nominal() {
    std::vector<size_t> few, many;
    for (size_t f = 0; f < features.size(); ++f)
        if (features[f].is_nominal())
            (features[f].n_categories <= static_cast<int32_t>(Pack::most_few) ? few : many).push_back(f);
    const size_t n_packs = (few.size() + Pack::most_fields - 1) / Pack::most_fields;
    const auto add = [&](size_t pack, size_t f) {
        features[f].pack = pack;
        features[f].field = packs[pack].features.size();
        packs[pack].features.push_back(f);
    };
    packs.resize(n_packs + many.size());
    for (size_t i = 0; i < few.size(); ++i)
        add(i * n_packs / few.size(), few[i]);
    for (size_t i = 0; i < many.size(); ++i) {
        packs[n_packs + i].bits = 32;
        add(n_packs + i, many[i]);
    }
}

} // namespace deciduous
