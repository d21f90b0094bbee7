#include "surrogate_rows.hpp"

#include "surrogate_sums.hpp"

#include <algorithm>
#include <numeric>

namespace deciduous {
namespace {

using std::int32_t;
using std::int64_t;
using std::size_t;
using std::uint32_t;

/// Fewer cells than this are searched sooner than threads are started.
constexpr size_t few_cells = 100'000;

} // namespace

double cut_between(double low, double high, bool whole) {
    const double middle = std::isfinite(low + high) ? (low + high) / 2 : low / 2 + high / 2;
    return whole ? middle : std::nextafter(middle, -HUGE_VAL);
}

SurrogateRows::SurrogateRows(std::shared_ptr<const SurrogateTable> table, Rater rater,
                             std::span<const int64_t> rows, size_t n_threads, Poll poll)
    : table_(std::move(table)), rater_(std::move(rater)), order_(table_->features.size()),
      side_(table_->n_rows()), branch_(table_->n_rows()), n_threads_(n_threads), poll_(std::move(poll)) {
    base_.reserve(rows.size());
    for (const int64_t row : rows) {
        base_.push_back(static_cast<uint32_t>(row));
        side_[base_.back()] = 1; // takes part, until the columns have their rows
    }
    share_out(
        order_.size(), n_threads_,
        [&](size_t f, size_t) {
            const std::vector<RankedRow> &whole = table_->features[f].order;
            std::vector<RankedRow> &own = order_[f];
            if (whole.size() == base_.size()) {
                own = whole;
                return;
            }
            own.resize(whole.empty() ? 0 : base_.size() + 1); // the last one is written over
            size_t n = 0;
            for (const RankedRow at : whole) {
                own[n] = at;
                n += static_cast<size_t>(side_[at.row]);
            }
            own.resize(n);
        },
        poll_);
}

size_t SurrogateRows::threads_for(size_t n_rows) const {
    return n_rows * n_asked() < few_cells ? 1 : n_threads_;
}

SurrogateRows::Ordered SurrogateRows::ordered(size_t f, const SurrogateNode &node) const {
    const std::span rows(order_[f].data() + node.start, node.size);
    const auto end =
        std::partition_point(rows.begin(), rows.end(), [](RankedRow at) { return at.rank != missing_rank; });
    const auto known = static_cast<size_t>(end - rows.begin());
    return {table_->features[f], rows.first(known), rows.subspan(known)};
}

// --- the search -------------------------------------------------------------------------------------------

std::vector<FirstSplit> SurrogateRows::best_splits(std::span<const SurrogateNode> nodes,
                                                   int64_t least) const {
    const size_t n = n_asked();
    std::vector<FirstSplit> found(nodes.size() * n);
    size_t n_rows = 0;
    for (const SurrogateNode &node : nodes)
        n_rows += node.size;
    share_out(
        found.size(), threads_for(n_rows),
        [&](size_t task, size_t) {
            const SurrogateNode &node = nodes[task / n];
            const Feature &feature = table_->features[task % n];
            found[task] = feature.is_nominal() ? best_division(feature, node, least)
                                               : best_cut(ordered(task % n, node), node, least);
        },
        poll_);
    return found;
}

/// Adds a row whose cell is missing to the third line of the sums.
void SurrogateRows::add_missing(FirstSplit &split, uint32_t row, const SurrogateNode &node) const {
    double *sums = split.sums.data() + 2 * line();
    if (table_->has_classes()) {
        sums[table_->classes[row]] += table_->weight[row];
        return;
    }
    const double w = table_->weight[row], deviation = (table_->numbers[row] - node.centre) / node.scale;
    sums[0] += w;
    sums[1] += w * deviation;
    sums[2] += w * (deviation * deviation);
}

// --- division ---------------------------------------------------------------------------------------------

namespace {

/// Brings the rows of branch 0 to the front of a range and those of branch 1 behind them, in order; those of
/// neither are lost. Returns both numbers.
template <typename T>
std::pair<size_t, size_t> divide_range(std::span<T> range, const std::int8_t *branch, std::vector<T> &aside) {
    aside.resize(range.size() + 1); // the last one is written over
    size_t n_first = 0, n_second = 0;
    for (const T at : range) {
        const int b = branch[row_of(at)];
        aside[n_second] = at;
        range[n_first] = at;
        n_first += b == 0;
        n_second += b == 1;
    }
    std::copy_n(aside.begin(), n_second, range.begin() + static_cast<std::ptrdiff_t>(n_first));
    return {n_first, n_second};
}

} // namespace

std::pair<size_t, size_t> SurrogateRows::divide_rows(const SurrogateNode &node) {
    std::vector<uint32_t> aside;
    return divide_range(std::span(base_).subspan(node.start, node.size), branch_.data(), aside);
}

void SurrogateRows::divide_columns(std::span<const SurrogateNode> nodes) {
    size_t n_rows = 0;
    for (const SurrogateNode &node : nodes)
        n_rows += node.size;
    share_out(
        order_.size(), threads_for(n_rows),
        [&](size_t f, size_t) {
            if (order_[f].empty())
                return;
            std::vector<RankedRow> aside;
            for (const SurrogateNode &node : nodes)
                divide_range(std::span(order_[f]).subspan(node.start, node.size), branch_.data(), aside);
        },
        poll_);
}

std::vector<size_t> SurrogateRows::divide(std::span<const SurrogateNode> nodes) {
    divide_columns(nodes);
    std::vector<size_t> sizes;
    for (const SurrogateNode &node : nodes) {
        const auto [first, second] = divide_rows(node);
        sizes.push_back(first);
        sizes.push_back(second);
    }
    return sizes;
}

} // namespace deciduous
