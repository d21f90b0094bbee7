#include "surrogate_rows.hpp"

#include "lanes.hpp"
#include "surrogate_sums.hpp"

#include <algorithm>
#include <array>
#include <bit>

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
      side_(table_->n_rows()), branch_(table_->n_rows() + sizeof(int)), n_threads_(n_threads),
      poll_(std::move(poll)) {
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
    // Of each node: how many rows are of the second class, or the numbers in the order of the rows.
    std::vector<uint32_t> second(nodes.size());
    std::vector<std::vector<double>> numbers(nodes.size());
    size_t n_rows = 0;
    for (size_t i = 0; i < nodes.size(); ++i) {
        n_rows += nodes[i].size;
        for (const uint32_t row : rows_of(nodes[i].start, nodes[i].size))
            if (counts())
                second[i] += table_->is_second[row];
            else if (!table_->has_classes())
                numbers[i].push_back(table_->numbers[row]);
    }
    share_out(
        found.size(), threads_for(n_rows),
        [&](size_t task, size_t) {
            const SurrogateNode &node = nodes[task / n];
            const Feature &feature = table_->features[task % n];
            found[task] = feature.is_nominal()
                              ? best_division(feature, node, numbers[task / n], least)
                              : best_cut(ordered(task % n, node), node, second[task / n], least);
        },
        poll_);
    return found;
}

// --- division ---------------------------------------------------------------------------------------------

namespace {

/// Brings the rows of branch 0 to the front of a range and those of branch 1 behind them, in order; those of
/// neither are lost. Returns both numbers.
std::pair<size_t, size_t> divide_range(std::span<uint32_t> range, const std::int8_t *branch) {
    std::vector<uint32_t> aside(range.size() + 1); // the last one is written over
    size_t n_first = 0, n_second = 0;
    for (const uint32_t row : range) {
        const int b = branch[row];
        aside[n_second] = row;
        range[n_first] = row;
        n_first += b == 0;
        n_second += b == 1;
    }
    std::copy_n(aside.begin(), n_second, range.begin() + static_cast<std::ptrdiff_t>(n_first));
    return {n_first, n_second};
}

/// Of both branches: how many rows there are, and whether one that was passed over since the last started a
/// value.
struct OrderDivided {
    std::array<size_t, 2> n{};
    std::array<uint32_t, 2> pending{};
};

#ifdef DECIDUOUS_AVX2

/// The same with the order of a column, as far as eights go; returns how many rows are done.
DECIDUOUS_AVX2 size_t divide_by_eights(std::span<OrderedRow> range, const std::int8_t *branch,
                                       OrderedRow *aside, OrderDivided &done) {
    const __m256i row_mask = _mm256_set1_epi32(OrderedRow::most_rows - 1),
                  rest = _mm256_set1_epi32(static_cast<int>(~OrderedRow::start_bit));
    size_t i = 0;
    for (; i + 8 <= range.size(); i += 8) {
        const __m256i rows = _mm256_loadu_si256(reinterpret_cast<const __m256i *>(range.data() + i));
        const auto starts = static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(rows)));
        const __m256i where = _mm256_i32gather_epi32(reinterpret_cast<const int *>(branch),
                                                     _mm256_and_si256(rows, row_mask), 1);
        const auto bits = [&](int shift) DECIDUOUS_AVX2 { // 0, 1 or -1 is in the lowest byte
            return static_cast<unsigned>(
                _mm256_movemask_ps(_mm256_castsi256_ps(_mm256_slli_epi32(where, shift))));
        };
        const unsigned odd = bits(31), negative = bits(24), to_first = ~odd & 0xffU,
                       to_second = odd & ~negative;
        const unsigned marked = starts_among(to_first, starts, done.pending[0]) |
                                starts_among(to_second, starts, done.pending[1]);
        const __m256i moved =
            _mm256_or_si256(_mm256_and_si256(rows, rest), _mm256_slli_epi32(lanes_of(marked), 31));
        _mm256_storeu_si256(reinterpret_cast<__m256i *>(range.data() + done.n[0]),
                            _mm256_permutevar8x32_epi32(moved, lanes_first(to_first)));
        _mm256_storeu_si256(reinterpret_cast<__m256i *>(aside + done.n[1]),
                            _mm256_permutevar8x32_epi32(moved, lanes_first(to_second)));
        done.n[0] += static_cast<size_t>(std::popcount(to_first));
        done.n[1] += static_cast<size_t>(std::popcount(to_second));
    }
    return i;
}

#endif

/// The same with the order of a column, in which a row starts a value in its branch if it does, or one that
/// was passed over since the branch's last row.
void divide_order(std::span<OrderedRow> range, const std::int8_t *branch, std::vector<OrderedRow> &aside) {
    aside.resize(range.size() + 8); // eights are written
    OrderDivided done;
    size_t i = 0;
#ifdef DECIDUOUS_AVX2
    if (has_avx2())
        i = divide_by_eights(range, branch, aside.data(), done);
#endif
    for (; i < range.size(); ++i) {
        const OrderedRow at = range[i];
        const int b = branch[at.row()];
        const auto kept = [&](size_t own) {
            uint32_t &pending = done.pending[own];
            pending |= at.starts();
            const OrderedRow row(at.bits() | (pending ? OrderedRow::start_bit : 0));
            pending = b == static_cast<int>(own) ? 0 : pending;
            return row;
        };
        aside[done.n[1]] = kept(1);
        range[done.n[0]] = kept(0);
        done.n[0] += b == 0;
        done.n[1] += b == 1;
    }
    std::copy_n(aside.begin(), done.n[1], range.begin() + static_cast<std::ptrdiff_t>(done.n[0]));
}

} // namespace

std::pair<size_t, size_t> SurrogateRows::divide_rows(const SurrogateNode &node) {
    return divide_range(std::span(base_).subspan(node.start, node.size), branch_.data());
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
                divide_order(std::span(order_[f]).subspan(node.start, node.size), branch_.data(), aside);
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
