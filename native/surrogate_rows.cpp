#include "surrogate_rows.hpp"

#include "surrogate_sums.hpp"

#include <algorithm>
#include <array>

namespace deciduous {
namespace {

using std::int32_t;
using std::int64_t;
using std::size_t;
using std::uint32_t;

/// Fewer cells than this are searched sooner than threads are started.
constexpr size_t few_cells = 100'000;

/// Keeps where values start when rows between are passed over.
class StartCarry {
public:
    /// A row as it is kept, if it is.
    OrderedRow operator()(OrderedRow at, bool here) {
        pending_ |= at.bits() & OrderedRow::start_bit;
        const OrderedRow kept(at.bits() | pending_);
        pending_ = here ? 0 : pending_;
        return kept;
    }

private:
    uint32_t pending_ = 0;
};

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
            const std::vector<OrderedRow> &whole = table_->features[f].order;
            std::vector<OrderedRow> &own = order_[f];
            if (whole.size() == base_.size()) {
                own = whole;
                return;
            }
            own.resize(whole.empty() ? 0 : base_.size() + 1); // the last one is written over
            size_t n = 0;
            StartCarry carry;
            for (const OrderedRow at : whole) {
                const bool here = side_[at.row()] != 0;
                own[n] = carry(at, here);
                n += here;
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
        std::partition_point(rows.begin(), rows.end(), [](OrderedRow at) { return !at.missing(); });
    const auto known = static_cast<size_t>(end - rows.begin());
    return {table_->features[f], rows.first(known), rows.subspan(known)};
}

// --- the search -------------------------------------------------------------------------------------------

std::vector<FirstSplit> SurrogateRows::best_splits(std::span<const SurrogateNode> nodes,
                                                   int64_t least) const {
    const size_t n = n_asked();
    std::vector<FirstSplit> found(nodes.size() * n);
    std::vector<uint32_t> second(nodes.size());
    size_t n_rows = 0;
    for (size_t i = 0; i < nodes.size(); ++i) {
        n_rows += nodes[i].size;
        if (counts())
            for (const uint32_t row : rows_of(nodes[i].start, nodes[i].size))
                second[i] += table_->is_second[row];
    }
    share_out(
        found.size(), threads_for(n_rows),
        [&](size_t task, size_t) {
            const SurrogateNode &node = nodes[task / n];
            const Feature &feature = table_->features[task % n];
            found[task] = feature.is_nominal()
                              ? best_division(feature, node, least)
                              : best_cut(ordered(task % n, node), node, second[task / n], least);
        },
        poll_);
    return found;
}

// --- division ---------------------------------------------------------------------------------------------

namespace {

/// Brings the rows of branch 0 to the front of a range and those of branch 1 behind them, in order; those of
/// neither are lost. Returns both numbers. `kept(row, branch)`: how a row is written down if it goes there.
template <typename T, typename Kept>
std::pair<size_t, size_t> divide_range(std::span<T> range, const std::int8_t *branch, std::vector<T> &aside,
                                       Kept kept) {
    aside.resize(range.size() + 1); // the last one is written over
    size_t n_first = 0, n_second = 0;
    for (const T at : range) {
        const int b = branch[row_of(at)];
        aside[n_second] = kept(at, b == 1, 1);
        range[n_first] = kept(at, b == 0, 0);
        n_first += b == 0;
        n_second += b == 1;
    }
    std::copy_n(aside.begin(), n_second, range.begin() + static_cast<std::ptrdiff_t>(n_first));
    return {n_first, n_second};
}

} // namespace

std::pair<size_t, size_t> SurrogateRows::divide_rows(const SurrogateNode &node) {
    std::vector<uint32_t> aside;
    return divide_range(std::span(base_).subspan(node.start, node.size), branch_.data(), aside,
                        [](uint32_t row, bool, int) { return row; });
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
            std::vector<OrderedRow> aside;
            for (const SurrogateNode &node : nodes)
                divide_range(std::span(order_[f]).subspan(node.start, node.size), branch_.data(), aside,
                             [carry = std::array<StartCarry, 2>{}](OrderedRow at, bool here, int b) mutable {
                                 return carry[static_cast<size_t>(b)](at, here);
                             });
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
