#include "surrogate_table.hpp"

#include "sorting.hpp"

#include <algorithm>
#include <limits>
#include <type_traits>

namespace deciduous {
namespace {

using std::int32_t;
using std::int64_t;
using std::size_t;
using std::uint32_t;

/// Copies the cells of a column, and sorts them if they are ordered.
void read(SurrogateTable::Feature &feature, const Column &column, size_t n_rows,
          std::span<const uint32_t> rows) {
    const auto n = static_cast<int64_t>(n_rows);
    if (feature.is_nominal()) {
        const auto copy = [&](auto &codes) {
            codes.resize(n_rows);
            for (int64_t row = 0; row < n; ++row) {
                const int32_t code = std::max(column.code(row), -1) + 1;
                codes[static_cast<size_t>(row)] =
                    static_cast<std::decay_t<decltype(codes[0])>>(code <= feature.n_categories ? code : 0);
            }
        };
        feature.n_categories <= 255 ? copy(feature.few) : copy(feature.many);
        return;
    }
    feature.whole = column.type == CellType::code;
    feature.numbers.reserve(n_rows);
    for (int64_t row = 0; row < n; ++row) {
        const double missing = std::numeric_limits<double>::quiet_NaN();
        const int32_t code = feature.whole ? column.code(row) : 0;
        feature.numbers.push_back(!feature.whole ? column.number(row) : code < 0 ? missing : code);
    }
    const Column own{CellType::number, feature.numbers.data(), 1};
    SortScratch scratch;
    const SortedCells sorted = sort_cells(own, rows, scratch);
    feature.order.reserve(rows.size());
    for (const std::uint64_t cell : sorted.order)
        feature.order.emplace_back(rows[SortedCells::position(cell)], SortedCells::start(cell), false);
    for (const uint32_t position : sorted.missing)
        feature.order.emplace_back(rows[position], false, true);
}

} // namespace

SurrogateTable::SurrogateTable(std::span<const Column> columns, std::span<const int32_t> n_categories,
                               const Target &target, std::span<const int64_t> rows, size_t n_threads,
                               const Poll &poll)
    : place(columns.size(), -1), classes(target.classes.begin(), target.classes.end()),
      numbers(target.numbers.begin(), target.numbers.end()),
      weight(target.weight.begin(), target.weight.end()),
      row_weight(target.row_weight.begin(), target.row_weight.end()), n_classes(target.n_classes) {
    std::vector<uint32_t> own;
    own.reserve(rows.size());
    for (const int64_t row : rows) {
        own.push_back(static_cast<uint32_t>(row));
        unit_weight &= weight[own.back()] == 1.0;
        unit_row_weight &= row_weight[own.back()] == 1.0;
    }
    if (n_classes == 2)
        for (const int32_t k : classes)
            is_second.push_back(k == 1);
    for (size_t c = 0; c < columns.size(); ++c)
        if (columns[c].type != CellType::absent) {
            place[c] = static_cast<int32_t>(features.size());
            features.emplace_back();
            features.back().column = static_cast<int32_t>(c);
            features.back().n_categories = n_categories[c];
        }
    share_out(
        features.size(), n_threads,
        [&](size_t f, size_t) {
            read(features[f], columns[static_cast<size_t>(features[f].column)], n_rows(), own);
        },
        poll);
}

} // namespace deciduous
