#include "surrogate_rows.hpp"

#include "surrogate_bits.hpp"

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
      order_(table_->features.size()), branch_(rows.size()), side_(rows.size()), moved_(rows.size()) {
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

void SurrogateRows::find_starts(const Ordered &column, SurrogateMemory &memory) {
    if (column.feature.distinct)
        memory.starts.assign(column.known.size() / word_rows + 2, ~std::uint64_t{0});
    else
        start_bits(column.known, memory.starts);
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

} // namespace deciduous
