#include "surrogate_rows.hpp"

#include "lanes.hpp"

#include <bit>
#include <tuple>

namespace deciduous {
namespace {

using std::int32_t;
using std::int64_t;
using std::size_t;
using std::uint32_t;

/// Some elements, or none of none.
template <typename T>
std::vector<T> taken(const std::vector<T> &all, std::span<const uint32_t> rows) {
    std::vector<T> found;
    if (all.empty())
        return found;
    found.reserve(rows.size());
    for (const uint32_t row : rows)
        found.push_back(all[row]);
    return found;
}

constexpr uint32_t not_there = UINT32_MAX;

} // namespace

double cut_between(double low, double high, bool whole) {
    const double middle = std::isfinite(low + high) ? (low + high) / 2 : low / 2 + high / 2;
    return whole ? middle : std::nextafter(middle, -HUGE_VAL);
}

SurrogateRows::SurrogateRows(std::shared_ptr<const SurrogateTable> table, Rater rater,
                             std::span<const int64_t> rows, SurrogateCrew &crew)
    : table_(std::move(table)), rater_(std::move(rater)), packs_(table_->packs.size()),
      order_(table_->features.size()), branch_(rows.size() + sizeof(int)), moved_(rows.size()) {
    make_parts();
    std::vector<uint32_t> position(table_->n_rows(), not_there);
    row_.reserve(rows.size());
    for (const int64_t row : rows) {
        position[static_cast<size_t>(row)] = static_cast<uint32_t>(row_.size());
        row_.push_back(static_cast<uint32_t>(row));
    }
    const SurrogateTarget &whole = table_->target;
    target_ = {taken(whole.classes, row_), taken(whole.numbers, row_), taken(whole.weight, row_),
               taken(whole.row_weight, row_), whole.n_classes};
    crew.each(n_divisions(), n_rows() * n_asked(), [&](size_t task, SurrogateMemory &) {
        if (task < ordered_.size())
            order_of_rows(ordered_[task], position);
        else
            packs_[task - ordered_.size()] = taken(table_->packs[task - ordered_.size()].rows, row_);
    });
}

/// Takes the rows of a tree from the order of the table.
void SurrogateRows::order_of_rows(size_t f, std::span<const uint32_t> position) {
    const std::vector<OrderedRow> &whole = table_->features[f].order;
    std::vector<OrderedRow> &own = order_[f];
    if (whole.size() == position.size() && n_rows() == whole.size()) { // positions are numbers of rows
        own = whole;
        return;
    }
    own.resize(n_rows() + 1); // the last one is written over
    uint32_t pending = 0;     // whether a row that was passed over started a value
    size_t n = 0;
    for (const OrderedRow at : whole) {
        const uint32_t here = position[at.row()];
        pending |= at.bits() & OrderedRow::start_bit;
        own[n] = OrderedRow(at.as(here & OrderedRow::row_mask).bits() | pending);
        n += here != not_there;
        pending = here != not_there ? 0 : pending;
    }
    own.resize(n);
}

/// Ordered columns are searched singly, or four at a time where that is known, neighbours by the number of
/// their known cells; those of categories pack by pack.
void SurrogateRows::make_parts() {
    for (size_t f = 0; f < n_asked(); ++f)
        if (!table_->features[f].is_nominal())
            ordered_.push_back(f);
    const auto n_known = [&](size_t f) {
        const auto &order = table_->features[f].order;
        return std::partition_point(order.begin(), order.end(), [](auto at) { return !at.missing(); }) -
               order.begin();
    };
    std::vector<std::pair<std::ptrdiff_t, size_t>> by_known;
    for (const size_t f : ordered_)
        by_known.emplace_back(n_known(f), f);
    std::sort(by_known.begin(), by_known.end());
    const size_t together = rater_.rating == Rating::squares ? SurrogateMemory::most_columns : 1,
                 n_parts = (by_known.size() + together - 1) / together;
    parts_.resize(n_parts);
    for (size_t i = 0; i < by_known.size(); ++i)
        parts_[i * n_parts / by_known.size()].features.push_back(by_known[i].second);
    for (size_t p = 0; p < packs_.size(); ++p)
        parts_.push_back({table_->packs[p].features, p});
}

SurrogateRows::Ordered SurrogateRows::ordered(size_t f, const SurrogateNode &node) const {
    const std::span rows(order_[f].data() + node.start, node.size);
    const auto end =
        std::partition_point(rows.begin(), rows.end(), [](OrderedRow at) { return !at.missing(); });
    const auto known = static_cast<size_t>(end - rows.begin());
    return {table_->features[f], rows.first(known), rows.subspan(known)};
}

void SurrogateRows::best_splits(std::span<const SurrogateNode> nodes, int64_t least, SurrogateCrew &crew,
                                std::vector<FirstSplit> &found) const {
    const size_t n = n_asked();
    found.resize(nodes.size() * n);
    for (FirstSplit &split : found)
        split.clear();
    size_t n_rows = 0;
    for (const SurrogateNode &node : nodes)
        n_rows += node.size;
    crew.each(nodes.size() * parts_.size(), n_rows * n, [&](size_t task, SurrogateMemory &memory) {
        const size_t i = task / parts_.size();
        search(parts_[task % parts_.size()], nodes[i], least, found.data() + i * n, memory);
    });
}

void SurrogateRows::search(const Part &part, const SurrogateNode &node, int64_t least, FirstSplit *found,
                           SurrogateMemory &memory) const {
    if (part.pack != no_pack)
        best_divisions(part, node, least, found, memory);
    else if (rater_.rating == Rating::squares)
        best_of_squares(part, node, least, found, memory);
    else
        for (const size_t f : part.features)
            best_cut(ordered(f, node), node, least, found[f], memory);
}

// --- division ---------------------------------------------------------------------------------------------

namespace {

/// Brings the elements of branch 0 to the front of a range and those of branch 1 behind them, in order; those
/// of neither are lost.
template <typename T>
void divide_range(std::span<T> range, const std::int8_t *branch, SurrogateMemory &memory) {
    std::vector<T> &aside = std::get<std::vector<T>>(memory.aside);
    aside.resize(std::max(aside.size(), range.size() + 1)); // one too many is written
    T *first = range.data(), *second = aside.data();
    for (size_t i = 0; i < range.size(); ++i) {
        const T x = range[i];
        const int b = branch[i];
        *first = x;
        *second = x;
        first += b == 0;
        second += b == 1;
    }
    std::copy(aside.data(), second, first);
}

/// Where the rows of a column go: the positions they get, with what tells the branch in the upper bits.
struct Moves {
    const uint32_t *moved;
    uint32_t to_second, lost;
};

/// Of both branches: how many rows there are, and whether one that was passed over since the last started a
/// value.
struct OrderDivided {
    std::array<size_t, 2> n{};
    std::array<uint32_t, 2> pending{};
};

#ifdef DECIDUOUS_AVX2

/// Divides the order of a column, as far as eights go; returns how many rows are done.
DECIDUOUS_AVX2 size_t divide_by_eights(std::span<OrderedRow> range, const Moves &moves, uint32_t *aside,
                                       OrderDivided &done) {
    const __m256i row_mask = _mm256_set1_epi32(OrderedRow::row_mask),
                  kept = _mm256_set1_epi32(OrderedRow::missing_bit | OrderedRow::second_bit);
    const auto bits = [](__m256i x) DECIDUOUS_AVX2 {
        return static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(x)));
    };
    size_t i = 0;
    for (; i + 8 <= range.size(); i += 8) {
        const __m256i rows = _mm256_loadu_si256(reinterpret_cast<const __m256i *>(range.data() + i));
        const __m256i moved = _mm256_i32gather_epi32(reinterpret_cast<const int *>(moves.moved),
                                                     _mm256_and_si256(rows, row_mask), 4);
        const unsigned starts = bits(rows), lost = bits(_mm256_slli_epi32(moved, 1)),
                       second = bits(moved), first = ~(second | lost) & 0xffU;
        const unsigned marked = starts_among(first, starts, done.pending[0]) |
                                starts_among(second, starts, done.pending[1]);
        const __m256i named =
            _mm256_or_si256(_mm256_and_si256(rows, kept), _mm256_and_si256(moved, row_mask));
        const __m256i marks = _mm256_or_si256(named, _mm256_slli_epi32(lanes_of(marked), 31));
        _mm256_storeu_si256(reinterpret_cast<__m256i *>(range.data() + done.n[0]),
                            _mm256_permutevar8x32_epi32(marks, lanes_first(first)));
        _mm256_storeu_si256(reinterpret_cast<__m256i *>(aside + done.n[1]),
                            _mm256_permutevar8x32_epi32(marks, lanes_first(second)));
        done.n[0] += static_cast<size_t>(std::popcount(first));
        done.n[1] += static_cast<size_t>(std::popcount(second));
    }
    return i;
}

#endif

/// Divides the order of a column, in which a row starts a value in its branch if it does, or one that was
/// passed over since the branch's last row.
void divide_order(std::span<OrderedRow> range, const Moves &moves, SurrogateMemory &memory) {
    auto &aside = std::get<std::vector<uint32_t>>(memory.aside);
    aside.resize(std::max(aside.size(), range.size() + 8)); // eights are written
    OrderDivided done;
    size_t i = 0;
#ifdef DECIDUOUS_AVX2
    if (has_avx2())
        i = divide_by_eights(range, moves, aside.data(), done);
#endif
    for (; i < range.size(); ++i) {
        const OrderedRow at = range[i];
        const uint32_t moved = moves.moved[at.row()];
        const bool there[] = {(moved & (moves.to_second | moves.lost)) == 0, (moved & moves.to_second) != 0};
        const uint32_t named = at.as(moved & OrderedRow::row_mask).bits();
        const auto kept = [&](size_t own) {
            uint32_t &pending = done.pending[own];
            pending |= at.starts();
            const uint32_t row = named | (pending ? OrderedRow::start_bit : 0);
            pending = there[own] ? 0 : pending;
            return row;
        };
        aside[done.n[1]] = kept(1);
        range[done.n[0]] = OrderedRow(kept(0));
        done.n[0] += there[0];
        done.n[1] += there[1];
    }
    for (size_t k = 0; k < done.n[1]; ++k)
        range[done.n[0] + k] = OrderedRow(aside[k]);
}

} // namespace

std::array<size_t, 2> SurrogateRows::divide_rows(const SurrogateNode &node, SurrogateMemory &memory) {
    const std::int8_t *branch = branch_.data() + node.start;
    const auto n_first = static_cast<size_t>(std::count(branch, branch + node.size, 0));
    const auto boundary = static_cast<uint32_t>(node.start + n_first);
    uint32_t first = static_cast<uint32_t>(node.start), second = boundary;
    for (size_t i = 0; i < node.size; ++i) {
        const int b = branch[i];
        moved_[node.start + i] = b < 0 ? lost : b == 0 ? first : second | to_second;
        first += b == 0;
        second += b == 1;
    }
    const auto divide = [&](auto &all) {
        if (!all.empty())
            divide_range(std::span(all).subspan(node.start, node.size), branch, memory);
    };
    divide(row_);
    divide(target_.classes);
    divide(target_.numbers);
    divide(target_.weight);
    divide(target_.row_weight);
    return {n_first, second - boundary};
}

void SurrogateRows::divide_columns(size_t some, const SurrogateNode &node, SurrogateMemory &memory) {
    if (some < ordered_.size())
        divide_order(std::span(order_[ordered_[some]]).subspan(node.start, node.size),
                     {moved_.data(), to_second, lost}, memory);
    else
        divide_range(std::span(packs_[some - ordered_.size()]).subspan(node.start, node.size),
                     branch_.data() + node.start, memory);
}

} // namespace deciduous
