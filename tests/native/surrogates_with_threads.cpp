// Grows trees with surrogates on several threads, for ThreadSanitizer (`make sanitize`), each also as two
// folds of one table at the same time. Any number of threads must give the same tree; returns 1 if one
// differs.
#include "surrogate_growth.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <numeric>
#include <random>
#include <thread>
#include <vector>

using namespace deciduous;

namespace {

struct Case {
    const char *name;
    Rating rating;
    std::size_t n_classes; // 0: numbers
    bool weighted = false;
    std::int64_t recorded_nodes = 1000;
};

constexpr std::size_t n_rows = 5'000, n_ordered = 5, n_nominal = 8, n_columns = n_ordered + n_nominal;

struct Data {
    std::vector<std::vector<double>> cells;
    std::vector<std::vector<std::int32_t>> codes;
    std::vector<Column> columns;
    std::vector<std::int32_t> n_categories;
    SurrogateTarget target;
    std::vector<std::int64_t> rows;

    explicit Data(const Case &c) : cells(n_ordered), codes(n_nominal), rows(n_rows) {
        std::mt19937 random(7);
        std::normal_distribution<double> normal;
        std::uniform_real_distribution<double> uniform;
        std::iota(rows.begin(), rows.end(), 0);
        const auto is_missing = [&] { return uniform(random) < 0.1; };
        std::vector<double> x(n_rows);
        for (double &number : x)
            number = normal(random);
        for (std::size_t j = 0; j < n_ordered; ++j)
            for (const double number : x) {
                const double cell = number + static_cast<double>(j) * normal(random);
                cells[j].push_back(is_missing() ? std::nan("") : j % 2 == 0 ? cell : std::floor(4 * cell));
            }
        for (std::size_t j = 0; j < n_nominal; ++j)
            for (std::size_t i = 0; i < n_rows; ++i)
                codes[j].push_back(is_missing() ? -1
                                                : static_cast<std::int32_t>(uniform(random) * categories(j)));
        for (std::size_t i = 0; i < n_rows; ++i) {
            const double y = x[i] + (codes[0][i] % 3) + normal(random);
            if (c.n_classes > 0)
                target.classes.push_back(
                    std::min(std::max(static_cast<int>(y + 1), 0), static_cast<int>(c.n_classes) - 1));
            else
                target.numbers.push_back(c.rating == Rating::rates ? std::floor(std::exp(y / 2)) : y);
            if (c.weighted)
                target.weight.push_back(0.5 + uniform(random));
        }
        target.n_classes = c.n_classes;
        target.row_weight = target.weight;
        for (const auto &column : cells)
            columns.push_back({CellType::number, column.data(), 1});
        for (const auto &column : codes)
            columns.push_back({CellType::code, column.data(), 1});
        for (std::size_t j = 0; j < n_columns; ++j)
            n_categories.push_back(j < n_ordered ? 0 : static_cast<std::int32_t>(categories(j - n_ordered)));
    }

    static double categories(std::size_t j) {
        return j + 1 == n_nominal ? 300 : 3 + 5 * static_cast<double>(j);
    }
};

std::vector<GrownNode> grow(const Case &c, std::shared_ptr<const SurrogateTable> table,
                            std::span<const std::int64_t> rows, std::size_t n_threads) {
    Rater rater{c.rating, std::vector<double>(std::max(c.n_classes, std::size_t{1}), 1.0), {}};
    Costing costing{rater.factor, std::vector<double>(c.n_classes * c.n_classes, 1.0), 0.0};
    for (std::size_t k = 0; k < c.n_classes; ++k) {
        rater.places.push_back(static_cast<double>(k));
        costing.loss[k * c.n_classes + k] = 0.0;
    }
    SurrogateGrowth growth;
    growth.min_samples_split = 20;
    growth.min_samples_leaf = 7;
    growth.cp = 0.0005;
    growth.tie = 1e-10;
    growth.costs.assign(n_columns, 1.0);
    growth.recorded_nodes = c.recorded_nodes;
    SurrogateRows own(std::move(table), std::move(rater), rows, n_threads, [] {});
    return grow(own, costing, growth);
}

/// To the last bit.
bool equal(const std::vector<GrownNode> &a, const std::vector<GrownNode> &b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const GrownNode &x, const GrownNode &y) {
        return x.own.rows.size == y.own.rows.size && x.own.rows.risk == y.own.rows.risk &&
               x.parent == y.parent && x.column == y.column && x.complexity == y.complexity &&
               x.split.threshold == y.split.threshold && x.split.category_branch == y.split.category_branch &&
               x.found.size() == y.found.size() && x.surrogates.several.size() == y.surrogates.several.size();
    });
}

bool is_same_on_threads(const Case &c) {
    const Data data(c);
    const auto table = std::make_shared<const SurrogateTable>(data.columns, data.n_categories, data.target,
                                                              n_rows, data.rows, 4, Poll());
    const std::span<const std::int64_t> all(data.rows), fold = all.first(n_rows - n_rows / 10);
    const auto one = grow(c, table, all, 1), one_fold = grow(c, table, fold, 1);
    std::vector<GrownNode> many, beside;
    std::thread other([&] { beside = grow(c, table, fold, 3); });
    many = grow(c, table, all, 4);
    other.join();
    const bool same = equal(one, many) && equal(one_fold, beside);
    std::printf("%-28s %8zu nodes: %s\n", c.name, one.size(), same ? "one tree" : "THREADS DIFFER");
    return same;
}

} // namespace

int main() {
    const Case cases[] = {
        {"two classes", Rating::gini, 2},
        {"two classes, no record", Rating::gini, 2, false, 0},
        {"four classes with weights", Rating::gini, 4, true},
        {"three classes by entropy", Rating::entropy, 3},
        {"numbers", Rating::squares, 0},
        {"numbers, no record", Rating::squares, 0, false, 0},
        {"rates with weights", Rating::rates, 0, true},
    };
    bool all = true;
    for (const Case &c : cases)
        all = is_same_on_threads(c) && all;
    return all ? 0 : 1;
}
