// Grows trees on several threads, for ThreadSanitizer (`make sanitize`): tables of every kind of search, each
// also in two runs at the same time. Any number of threads must give the same tree; returns 1 if one differs.
#include "growth.hpp"
#include "rows.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <random>
#include <thread>
#include <vector>

using namespace deciduous;

namespace {

struct Case {
    const char *name;
    Measure measure;
    int n_classes;        // 0: numbers
    double distinct;      // values of an ordered column; 0: all differ
    int n_categories;     // of the last column; 0: it is ordered too
    double missing = 0.0; // share of the cells
    bool weighted = false;
    std::size_t max_bins = 0;
};

constexpr std::size_t n_rows = 20'000, n_columns = 5;

struct Table {
    std::vector<double> cells, numbers, weights;
    std::vector<std::int32_t> codes, classes;
    std::vector<std::int64_t> rows;

    explicit Table(const Case &c) : cells(n_rows * n_columns), rows(n_rows) {
        std::mt19937 random(7);
        std::normal_distribution<double> normal;
        std::uniform_real_distribution<double> uniform;
        std::iota(rows.begin(), rows.end(), 0);
        for (double &x : cells) {
            x = c.distinct > 0.0 ? std::floor(uniform(random) * c.distinct) : normal(random);
            x = uniform(random) < c.missing ? std::nan("") : x;
        }
        for (std::size_t i = 0; i < n_rows; ++i) {
            const double x = cells[i * n_columns], y = (std::isnan(x) ? 0.0 : x) + normal(random);
            numbers.push_back(y);
            classes.push_back(std::min(std::max(static_cast<int>(y + 1.5), 0), std::max(c.n_classes, 1) - 1));
            weights.push_back(0.5 + uniform(random));
            codes.push_back(static_cast<std::int32_t>(uniform(random) * c.n_categories));
        }
    }
};

GrownTree grow(const Case &c, const Table &table, std::size_t n_threads) {
    std::vector<Column> columns;
    std::vector<std::int32_t> n_categories(n_columns, 0);
    for (std::size_t j = 0; j < n_columns; ++j)
        columns.push_back({CellType::number, table.cells.data() + j, std::ptrdiff_t{n_columns}});
    if (c.n_categories > 0) {
        columns.back() = {CellType::code, table.codes.data(), 1};
        n_categories.back() = c.n_categories;
    }
    Rows::Target target;
    target.n_classes = c.n_classes;
    if (c.n_classes > 0)
        target.classes = table.classes;
    else
        target.numbers = table.numbers;
    if (c.measure == Measure::absolute_error)
        target.about = About::median;
    if (c.weighted)
        target.weights = table.weights;
    Rows rows(columns, n_categories, target, table.rows, c.max_bins, false, n_threads, [] {});
    Rule rule;
    rule.measure = c.measure;
    rule.missing = c.missing > 0.0 ? MissingPolicy::direction : MissingPolicy::known_only;
    rule.nominal = Nominal::subset;
    rule.slack = 1e-10;
    Growth growth;
    growth.max_depth = c.measure == Measure::absolute_error ? 6 : INT64_MAX;
    growth.tie = 1e-10;
    growth.recorded_nodes = 100;
    growth.recorded_cells = 100'000;
    return rows.grow(rule, growth);
}

/// To the last bit. NaN marks what is no threshold.
bool equal(const std::vector<double> &a, const std::vector<double> &b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); });
}

bool equal(const GrownTree &a, const GrownTree &b) {
    return a.rows == b.rows && a.parent == b.parent && a.column == b.column && a.kind == b.kind &&
           a.first_child == b.first_child && a.category_branch == b.category_branch &&
           a.missing_branch == b.missing_branch && equal(a.threshold, b.threshold) && equal(a.gain, b.gain) &&
           equal(a.impurity, b.impurity);
}

bool is_same_on_threads(const Case &c) {
    const Table table(c);
    const GrownTree one = grow(c, table, 1);
    GrownTree many, beside;
    std::thread other([&] { beside = grow(c, table, 3); });
    many = grow(c, table, 4);
    other.join();
    const bool same = equal(one, many) && equal(one, beside);
    std::printf("%-28s %8zu nodes: %s\n", c.name, one.rows.size(), same ? "one tree" : "THREADS DIFFER");
    return same;
}

} // namespace

int main() {
    const Case cases[] = {
        {"two classes", Measure::gini, 2, 0.0, 0},
        {"five classes by entropy", Measure::entropy, 5, 0.0, 0},
        {"numbers", Measure::squared_error, 0, 0.0, 0},
        {"whole numbers", Measure::gini, 2, 100.0, 0},
        {"bins", Measure::gini, 3, 0.0, 0, 0.0, false, 32},
        {"categories", Measure::gini, 3, 0.0, 40},
        {"missing cells and weights", Measure::gini, 3, 0.0, 12, 0.1, true},
        {"numbers with missing cells", Measure::squared_error, 0, 50.0, 12, 0.1},
        {"absolute error", Measure::absolute_error, 0, 0.0, 0},
    };
    bool all = true;
    for (const Case &c : cases)
        all = is_same_on_threads(c) && all;
    return all ? 0 : 1;
}
