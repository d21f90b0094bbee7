#include "route.hpp"

#include "numbers.hpp"
#include "threads.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>
#include <utility>

namespace deciduous {
namespace {

using std::int32_t;
using std::int64_t;

// What a step answers instead of a child: the row ends here, or its weight is shared out.
constexpr int32_t stop = -1;
constexpr int32_t spread = -2;

/// One node, packed for the walk so that a step touches one cache line.
struct Step {
    union {
        double threshold;
        const int32_t *branch_of_code;
    };
    int32_t n_codes;
    int32_t first_child;
    int32_t feature;
    int32_t on_missing; // the child of missing cells, or stop, or spread
    int32_t on_unseen;
    Test test;
    bool leaf;
};

int32_t child_of_missing(const Tree &tree, std::size_t node) {
    int32_t answer = stop;
    for (int32_t branch = 0; branch < tree.n_branches[node]; ++branch) {
        const int32_t child = tree.first_child[node] + branch;
        const double share = tree.share[static_cast<std::size_t>(child)];
        if (!(share > 0.0))
            continue;
        if (answer != stop || share != 1.0)
            return spread;
        answer = child;
    }
    return answer;
}

Step split_step(const Tree &tree, std::size_t node, bool unseen_as_missing, std::span<const Column> columns) {
    Step step{};
    const auto kind = static_cast<SplitKind>(tree.kind[node]);
    step.feature = tree.feature[node];
    step.test = test_of(kind, columns[static_cast<std::size_t>(step.feature)].type);
    step.first_child = tree.first_child[node];
    step.on_missing = child_of_missing(tree, node);
    step.on_unseen = unseen_as_missing ? step.on_missing : stop;
    if (step.test == Test::category) {
        const int64_t start = tree.category_start[node];
        step.branch_of_code = tree.category_branch.data() + start;
        step.n_codes = static_cast<int32_t>(tree.category_start[node + 1] - start);
    } else {
        step.threshold = tree.threshold[node];
    }
    if (step.test == Test::code_missing && !unseen_as_missing)
        step.on_unseen = step.first_child; // an unseen category is known not to be missing
    return step;
}

/// A leaf asks a question about numbers, as most splits do, and leads to itself whatever the answer: whether
/// a row is in a leaf yet would be a branch that the processor could not predict.
Step leaf_step(std::span<const Step> splits) {
    Step step{};
    step.leaf = true;
    step.threshold = std::numeric_limits<double>::infinity();
    const auto number = std::find_if(splits.begin(), splits.end(),
                                     [](const Step &split) { return split.test == Test::number; });
    if (number != splits.end()) {
        step.test = Test::number;
        step.feature = number->feature;
    }
    return step;
}

std::vector<Step> pack(const Tree &tree, bool unseen_as_missing, std::span<const Column> columns) {
    std::vector<Step> steps(tree.first_child.size());
    for (std::size_t node = 0; node < steps.size(); ++node)
        if (tree.first_child[node] >= 0)
            steps[node] = split_step(tree, node, unseen_as_missing, columns);
    const Step leaf = leaf_step(steps);
    for (std::size_t node = 0; node < steps.size(); ++node)
        if (tree.first_child[node] < 0) {
            steps[node] = leaf;
            steps[node].first_child = steps[node].on_missing = static_cast<int32_t>(node);
        }
    return steps;
}

/// The child a row goes to, or stop, or spread; a leaf answers itself.
int32_t next(const Step &step, const Column *columns, int64_t row) {
    const bool by_category = step.test == Test::category;
    const int32_t branch = branch_of(step.test, step.threshold, by_category ? step.branch_of_code : nullptr,
                                     step.n_codes, columns[step.feature], row);
    if (branch >= 0)
        return step.first_child + branch;
    return branch == missing_cell ? step.on_missing : step.on_unseen;
}

// --- the walk of whole rows -------------------------------------------------------------------------------

/// The columns of numbers that a tree asks for.
Numbers numbers_asked(std::span<const Step> steps, std::span<const Column> columns) {
    std::vector<bool> is_asked(columns.size());
    for (const Step &step : steps)
        if (!step.leaf && columns[static_cast<std::size_t>(step.feature)].type == CellType::number)
            is_asked[static_cast<std::size_t>(step.feature)] = true;
    return numbers_of(columns, is_asked);
}

/// A node of a tree that only puts numbers beside thresholds: four of them fill a cache line.
struct NumberStep {
    double threshold;
    int32_t feature;
    int32_t first_child;
};

/// Such a tree, packed for the walk.
struct NumberSteps {
    std::vector<NumberStep> steps;
    std::vector<int32_t> on_missing; // the node itself where missing cells stop, or spread

    explicit NumberSteps(std::span<const Step> from) {
        for (std::size_t node = 0; node < from.size(); ++node) {
            steps.push_back({from[node].threshold, from[node].feature, from[node].first_child});
            on_missing.push_back(from[node].on_missing < 0 ? static_cast<int32_t>(node)
                                                           : from[node].on_missing);
        }
    }
};

/// Answers the child of a node for a row, where all nodes are number steps; `Cell` finds a number by row and
/// feature.
template <typename Cell>
struct AskNumbers {
    const NumberStep *steps;
    const int32_t *on_missing;
    Cell cell;

    int32_t operator()(int32_t node, int64_t row) const {
        const NumberStep &step = steps[node];
        const int32_t branch = branch_of_number(cell(row, step.feature), step.threshold);
        return branch == missing_cell ? on_missing[node] : step.first_child + branch;
    }
};

/// Sends `group` rows down the tree until each is in a node that `ask` answers with itself, a level at a
/// time: their steps are independent, so the processor overlaps them.
template <int group, typename Ask>
void walk_group(const Ask ask, int64_t first, int32_t *nodes) {
    std::array<int32_t, group> at{};
    int32_t moved;
    do {
        moved = 0;
#pragma GCC unroll 16
        for (int k = 0; k < group; ++k) {
            int32_t &node = at[static_cast<std::size_t>(k)];
            const int32_t child = ask(node, first + k);
            moved |= child ^ node;
            node = child;
        }
    } while (moved != 0);
    std::copy(at.begin(), at.end(), nodes + first);
}

template <typename Ask>
void walk(const Ask &ask, int64_t first, int64_t end, int32_t *nodes) {
    constexpr int group = 16;
    for (; first + group <= end; first += group)
        walk_group<group>(ask, first, nodes);
    for (; first < end; ++first)
        walk_group<1>(ask, first, nodes);
}

constexpr int64_t block = 128;         // rows whose cells stay in the cache from the first look to the walk
constexpr int64_t task_rows = 1 << 13; // rows that a thread takes at a time

std::size_t threads_for(int64_t n_rows, std::size_t n_threads) {
    constexpr int64_t worth_a_thread = 1 << 14;
    return std::min(n_threads, static_cast<std::size_t>(1 + n_rows / worth_a_thread));
}

/// Calls work(first row, end row, task) for tasks that cover all rows.
template <typename Work>
void over_rows(int64_t n_rows, std::size_t n_threads, const Work &work) {
    const int64_t n_tasks = (n_rows + task_rows - 1) / task_rows;
    share_out(static_cast<std::size_t>(n_tasks), threads_for(n_rows, n_threads),
              [&](std::size_t task, std::size_t) {
                  const int64_t first = static_cast<int64_t>(task) * task_rows;
                  work(first, std::min(first + task_rows, n_rows), task);
              });
}

/// Walks all rows; answers whether one of their numbers is infinite.
template <typename Ask>
bool walk_all(const Ask &ask, const Numbers &numbers, int64_t n_rows, std::size_t n_threads, int32_t *nodes) {
    std::atomic<bool> infinite = false;
    over_rows(n_rows, n_threads, [&](int64_t first, int64_t end, std::size_t) {
        for (; first < end; first += block) {
            const int64_t stop_at = std::min(first + block, end);
            if (any_infinite(numbers, first, stop_at))
                infinite = true;
            walk(ask, first, stop_at, nodes);
        }
    });
    return infinite;
}

bool walk_all(std::span<const Step> steps, std::span<const Column> columns, int64_t n_rows,
              std::size_t n_threads, int32_t *nodes) {
    const Numbers numbers = numbers_asked(steps, columns);
    const bool only_numbers =
        std::all_of(steps.begin(), steps.end(), [](const Step &step) { return step.test == Test::number; });
    if (!only_numbers) {
        const auto ask = [&](int32_t node, int64_t row) {
            const int32_t child = next(steps[static_cast<std::size_t>(node)], columns.data(), row);
            return child < 0 ? node : child;
        };
        return walk_all(ask, numbers, n_rows, n_threads, nodes);
    }
    const NumberSteps packed(steps);
    const auto walk_numbers = [&](auto cell) {
        const AskNumbers ask{packed.steps.data(), packed.on_missing.data(), cell};
        return walk_all(ask, numbers, n_rows, n_threads, nodes);
    };
    if (numbers.matrix)
        return walk_numbers([cells = numbers.matrix, stride = numbers.stride](int64_t row, int32_t feature) {
            return cells[row * stride + feature];
        });
    if (!numbers.starts.empty())
        return walk_numbers(
            [starts = numbers.starts.data()](int64_t row, int32_t feature) { return starts[feature][row]; });
    return walk_numbers(
        [all = columns.data()](int64_t row, int32_t feature) { return all[feature].number(row); });
}

// --- rows whose weight is shared out ----------------------------------------------------------------------

struct Part {
    int32_t node;
    double weight;
};

/// Follows one row from `node`, sharing out its weight; leaves its parts in `landed` in order of node.
void spread_row(const Tree &tree, std::span<const Step> steps, const Column *columns, int64_t row,
                int32_t node, std::vector<Part> &open, std::vector<Part> &landed) {
    landed.clear();
    open.assign(1, {node, 1.0});
    while (!open.empty()) {
        const Part part = open.back();
        open.pop_back();
        const auto at = static_cast<std::size_t>(part.node);
        const int32_t child = next(steps[at], columns, row);
        if (child == stop || child == part.node) {
            landed.push_back(part);
        } else if (child != spread) {
            open.push_back({child, part.weight});
        } else {
            for (int32_t branch = 0; branch < tree.n_branches[at]; ++branch) {
                const int32_t to = steps[at].first_child + branch;
                const double share = tree.share[static_cast<std::size_t>(to)];
                if (share > 0.0)
                    open.push_back({to, part.weight * share});
            }
        }
    }
    std::sort(landed.begin(), landed.end(), [](const Part &a, const Part &b) { return a.node < b.node; });
}

/// Whether the walk left a row in a node that must share it out.
bool any_spread(std::span<const Step> steps, std::span<const Column> columns, int64_t n_rows,
                std::size_t n_threads, const int32_t *nodes) {
    const auto spreads = [](const Step &step) {
        return step.on_missing == spread || step.on_unseen == spread;
    };
    if (std::none_of(steps.begin(), steps.end(), spreads))
        return false;
    std::atomic<bool> any = false;
    over_rows(n_rows, n_threads, [&](int64_t first, int64_t end, std::size_t) {
        for (int64_t row = first; row < end && !any; ++row) {
            const Step &step = steps[static_cast<std::size_t>(nodes[row])];
            if (!step.leaf && next(step, columns.data(), row) == spread)
                any = true;
        }
    });
    return any;
}

void append(Ends::Parts &to, const Ends::Parts &more) {
    to.rows.insert(to.rows.end(), more.rows.begin(), more.rows.end());
    to.nodes.insert(to.nodes.end(), more.nodes.begin(), more.nodes.end());
    to.weights.insert(to.weights.end(), more.weights.begin(), more.weights.end());
}

/// The entries of rows of which some must still be spread from where the walk left them.
Ends::Parts spread_all(const Tree &tree, std::span<const Step> steps, std::span<const Column> columns,
                       int64_t n_rows, std::size_t n_threads, const int32_t *nodes) {
    std::vector<Ends::Parts> by_task(static_cast<std::size_t>((n_rows + task_rows - 1) / task_rows));
    over_rows(n_rows, n_threads, [&](int64_t first, int64_t end, std::size_t task) {
        Ends::Parts parts;
        std::vector<Part> open, landed; // outside the loop to keep their memory
        for (int64_t row = first; row < end; ++row) {
            spread_row(tree, steps, columns.data(), row, nodes[row], open, landed);
            for (const Part &part : landed) {
                parts.rows.push_back(row);
                parts.nodes.push_back(part.node);
                parts.weights.push_back(part.weight);
            }
        }
        by_task[task] = std::move(parts);
    });
    Ends::Parts all;
    for (const Ends::Parts &parts : by_task)
        append(all, parts);
    return all;
}

} // namespace

Ends route(const Tree &tree, bool unseen_as_missing, std::span<const Column> columns, int64_t n_rows,
           std::size_t n_threads) {
    const std::vector<Step> steps = pack(tree, unseen_as_missing, columns);
    Ends ends;
    ends.nodes = std::make_unique_for_overwrite<int32_t[]>(static_cast<std::size_t>(n_rows));
    ends.infinite = walk_all(steps, columns, n_rows, n_threads, ends.nodes.get());
    if (any_spread(steps, columns, n_rows, n_threads, ends.nodes.get()))
        ends.parts = spread_all(tree, steps, columns, n_rows, n_threads, ends.nodes.get());
    return ends;
}

} // namespace deciduous
