#include "surrogate_route.hpp"

#include "numbers.hpp"
#include "threads.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <stdexcept>
#include <string>

namespace deciduous {

using std::int32_t;
using std::int64_t;
using std::size_t;

namespace {

[[noreturn]] void refuse(const std::string &what) {
    throw std::invalid_argument("surrogates: " + what);
}

void demand(bool holds, const char *what) {
    if (!holds)
        refuse(what);
}

/// A question of the tree or of a surrogate, packed for the walk.
struct Asked {
    Test test = Test::none;
    double threshold = 0.0;
    const int32_t *branch_of_code = nullptr;
    int32_t n_codes = 0;
    int32_t feature = 0;
    int32_t below = 0;

    int32_t answer(const Column *columns, int64_t row) const {
        const int32_t branch = branch_of(test, threshold, branch_of_code, n_codes, columns[feature], row);
        return branch < 0 ? branch : branch ^ below;
    }
};

Asked asked(int32_t feature, SplitKind kind, double threshold, std::span<const int32_t> codes,
            std::span<const Column> columns) {
    Asked question;
    question.test = test_of(kind, columns[static_cast<size_t>(feature)].type);
    question.threshold = threshold;
    question.branch_of_code = codes.data();
    question.n_codes = static_cast<int32_t>(codes.size());
    question.feature = feature;
    return question;
}

std::span<const int32_t> part(std::span<const int64_t> start, std::span<const int32_t> values, size_t i) {
    const auto from = static_cast<size_t>(start[i]), to = static_cast<size_t>(start[i + 1]);
    return values.subspan(from, to - from);
}

bool rises(std::span<const int64_t> start, size_t end) {
    return !start.empty() && start.front() == 0 && std::is_sorted(start.begin(), start.end()) &&
           start.back() == static_cast<int64_t>(end);
}

} // namespace

void check(const Tree &tree, const Surrogates &s, std::span<const Column> columns) {
    demand(s.start.size() == tree.first_child.size() + 1 && rises(s.start, s.feature.size()),
           "start must rise from 0 to their number");
    demand(s.category_start.size() == s.feature.size() + 1 &&
               rises(s.category_start, s.category_branch.size()),
           "category_start must rise from 0 to the end of its list");
    for (size_t node = 0; node < tree.first_child.size(); ++node)
        demand(tree.first_child[node] < 0 || tree.n_branches[node] == 2,
               "a node has other than two branches");
    for (size_t i = 0; i < s.feature.size(); ++i) {
        const bool there = s.feature[i] >= 0 && static_cast<size_t>(s.feature[i]) < columns.size();
        demand(there, "feature is no column");
        const CellType type = columns[static_cast<size_t>(s.feature[i])].type;
        demand(type != CellType::absent, "a column that is asked for is absent");
        const auto kind = static_cast<SplitKind>(s.kind[i]);
        demand(kind == SplitKind::threshold || (kind == SplitKind::subset && type == CellType::code),
               "kind is no threshold, and no subset of a column of codes");
        demand(s.below[i] == 0 || s.below[i] == 1, "below is no branch");
        for (const int32_t branch : part(s.category_start, s.category_branch, i))
            demand(branch >= -1 && branch <= 1, "category_branch is no branch");
    }
}

std::vector<int32_t> route(const Tree &tree, const Surrogates &s, bool unseen_as_missing,
                           std::span<const Column> columns, int64_t n_rows, size_t n_threads,
                           bool &infinite) {
    const size_t n = tree.first_child.size();
    std::vector<Asked> primary(n), others;
    std::vector<int32_t> fallback(n, -1);
    std::vector<bool> is_asked(columns.size());
    for (size_t node = 0; node < n; ++node) {
        const int32_t first = tree.first_child[node];
        if (first < 0)
            continue;
        primary[node] =
            asked(tree.feature[node], static_cast<SplitKind>(tree.kind[node]), tree.threshold[node],
                  part(tree.category_start, tree.category_branch, node), columns);
        is_asked[static_cast<size_t>(tree.feature[node])] = true;
        for (int32_t b = 0; b < 2; ++b)
            if (tree.share[static_cast<size_t>(first + b)] > 0)
                fallback[node] = b;
    }
    for (size_t i = 0; i < s.feature.size(); ++i) {
        others.push_back(asked(s.feature[i], static_cast<SplitKind>(s.kind[i]), s.threshold[i],
                               part(s.category_start, s.category_branch, i), columns));
        others.back().below = s.below[i];
        is_asked[static_cast<size_t>(s.feature[i])] = true;
    }
    for (size_t c = 0; c < columns.size(); ++c)
        is_asked[c] = is_asked[c] && columns[c].type == CellType::number;
    const Numbers numbers = numbers_of(columns, is_asked);
    std::vector<int32_t> ends(static_cast<size_t>(n_rows));
    std::atomic<bool> any = false;
    constexpr int64_t rows_a_task = 1 << 12;
    share_out(
        static_cast<size_t>((n_rows + rows_a_task - 1) / rows_a_task), n_threads, [&](size_t task, size_t) {
            const int64_t begin = static_cast<int64_t>(task) * rows_a_task;
            const int64_t end = std::min(begin + rows_a_task, n_rows);
            if (any_infinite(numbers, begin, end))
                any = true;
            for (int64_t row = begin; row < end; ++row) {
                auto node = size_t{0};
                while (tree.first_child[node] >= 0) {
                    int32_t branch = primary[node].answer(columns.data(), row);
                    if (branch == unseen_cell && unseen_as_missing)
                        branch = missing_cell;
                    for (int64_t i = s.start[node]; branch == missing_cell && i < s.start[node + 1]; ++i)
                        branch = std::max(others[static_cast<size_t>(i)].answer(columns.data(), row),
                                          missing_cell);
                    if (branch == missing_cell)
                        branch = fallback[node];
                    if (branch < 0)
                        break;
                    node = static_cast<size_t>(tree.first_child[node] + branch);
                }
                ends[static_cast<size_t>(row)] = static_cast<int32_t>(node);
            }
        });
    infinite = any;
    return ends;
}

} // namespace deciduous
