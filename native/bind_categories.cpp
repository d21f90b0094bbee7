// The searches of categories by themselves: growing calls them from within, tests from here.
#include "arrays.hpp"
#include "categories.hpp"

#include <cmath>
#include <cstdint>

namespace {

using deciduous::CategorySearch;
using deciduous::CategorySplit;
using deciduous::CategoryTable;
using deciduous::Measure;
using deciduous::MissingPolicy;
using deciduous::Nominal;
using deciduous::Rule;
using deciduous::WholeNumbers;

/// Looking up n ln n asks for whole sums, none larger than the table of them.
void check_unit_rows(std::span<const double> sums, std::size_t width, std::span<const std::int64_t> start,
                     std::int64_t unit_rows) {
    for (std::size_t k = 0; k + 1 < start.size(); ++k) {
        double total = 0.0;
        for (auto i = static_cast<std::size_t>(start[k]) * width;
             i < static_cast<std::size_t>(start[k + 1]) * width; ++i) {
            if (!(sums[i] >= 0.0) || sums[i] != std::floor(sums[i]))
                total = HUGE_VAL;
            total += sums[i];
        }
        if (!(total <= static_cast<double>(unit_rows)))
            throw std::invalid_argument(
                "unit_rows is less than the rows of a table, or its weights are not whole");
    }
}

/// The best splits of many columns of categories from their contingency tables, which lie one after the
/// other: each has a line for the missing cells, then one a category. `line_start`: where each begins, in
/// lines. `unit_rows`: where all weights are 1, the rows of the largest table, else 0.
nb::tuple best_categories(const Array<double> &tables, const Array<std::int64_t> &counts,
                          const Array<std::int64_t> &line_start, std::size_t width,
                          const Array<double> &bands, std::uint8_t nominal, std::uint8_t measure,
                          std::uint8_t missing, std::int64_t min_rows, double min_weight, double min_cases,
                          double slack, std::int64_t unit_rows) {
    const std::size_t n = bands.size(), n_lines = counts.size();
    const auto start = view(line_start, "line_start", n + 1);
    const auto sums = view(tables, "tables", n_lines * width), band = view(bands, "bands", n);
    const auto rows = view(counts, "counts", n_lines);
    if (nominal > 2 || measure > 3 || missing > 2 || width < 1 || (measure == 3 && width != 3) ||
        unit_rows < 0)
        throw std::invalid_argument("no such kind of split, measure, policy or width");
    for (std::size_t k = 0; k < n; ++k)
        if (start[k] < 0 || start[k] >= start[k + 1] || static_cast<std::size_t>(start[k + 1]) > n_lines)
            throw std::invalid_argument("line_start must rise within the lines");
    if (unit_rows > 0 && measure != 3)
        check_unit_rows(sums, width, start, unit_rows);
    const Rule rule{static_cast<Measure>(measure),
                    static_cast<MissingPolicy>(missing),
                    min_rows,
                    min_weight,
                    min_cases,
                    slack,
                    static_cast<Nominal>(nominal),
                    false,
                    0,
                    {},
                    false,
                    {}};
    std::vector<std::uint8_t> kind, exact;
    std::vector<double> gain, information, weights;
    std::vector<std::int32_t> missing_branch, branches;
    std::vector<std::int64_t> tried, weight_start{0}, branch_start{0};
    {
        nb::gil_scoped_release release;
        const WholeNumbers whole(static_cast<std::size_t>(unit_rows));
        CategorySearch search;
        for (std::size_t k = 0; k < n; ++k) {
            const auto first = static_cast<std::size_t>(start[k]),
                       end = static_cast<std::size_t>(start[k + 1]);
            const CategoryTable table{width, sums.subspan((first + 1) * width, (end - first - 1) * width),
                                      rows.subspan(first + 1, end - first - 1),
                                      sums.subspan(first * width, width), rows[first]};
            const CategorySplit found = search.best(table, rule, static_cast<Nominal>(nominal), band[k],
                                                    unit_rows ? &whole : nullptr);
            kind.push_back(static_cast<std::uint8_t>(found.kind));
            exact.push_back(found.exact);
            gain.push_back(found.gain);
            information.push_back(found.split_information);
            missing_branch.push_back(found.missing_branch);
            tried.push_back(found.tried);
            weights.insert(weights.end(), found.weights.begin(), found.weights.end());
            branches.insert(branches.end(), found.category_branch.begin(), found.category_branch.end());
            weight_start.push_back(static_cast<std::int64_t>(weights.size()));
            branch_start.push_back(static_cast<std::int64_t>(branches.size()));
        }
    }
    return nb::make_tuple(give(std::move(kind)), give(std::move(gain)), give(std::move(information)),
                          give(std::move(missing_branch)), give(std::move(tried)), give(std::move(exact)),
                          give(std::move(weight_start)), give(std::move(weights)),
                          give(std::move(branch_start)), give(std::move(branches)));
}

} // namespace

void bind_categories(nb::module_ &module) {
    module.def("best_categories", &best_categories, "tables"_a.noconvert(), "counts"_a.noconvert(),
               "line_start"_a.noconvert(), "width"_a, "bands"_a.noconvert(), "nominal"_a, "measure"_a,
               "missing"_a, "min_rows"_a, "min_weight"_a, "min_cases"_a, "slack"_a, "unit_rows"_a);
}
