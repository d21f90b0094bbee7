#include "surrogate_rows.hpp"

#include "surrogate_bits.hpp"

#include <atomic>

namespace deciduous {
namespace {

using std::int32_t;
using std::int64_t;
using std::size_t;
using std::uint32_t;

/// Takes some elements, or none of none.
template <typename T>
void take(const std::vector<T> &all, std::span<const uint32_t> rows, std::vector<T> &found) {
    found.resize(all.empty() ? 0 : rows.size());
    for (size_t i = 0; i < found.size(); ++i)
        found[i] = all[rows[i]];
}

std::span<SurrogateMemory> memory_for(size_t n_threads, std::vector<SurrogateMemory> &memory) {
    n_threads = std::max(n_threads, size_t{1});
    memory.resize(std::max(memory.size(), n_threads));
    return std::span(memory).first(n_threads);
}

} // namespace

double cut_between(double low, double high, bool whole) {
    const double middle = std::isfinite(low + high) ? (low + high) / 2 : low / 2 + high / 2;
    return whole ? middle : std::nextafter(middle, -HUGE_VAL);
}

SurrogateRows::SurrogateRows(std::shared_ptr<const SurrogateTable> table, Rater rater,
                             std::span<const int64_t> rows, size_t n_threads, Poll poll)
    : table_(std::move(table)), rater_(std::move(rater)), store_(table_->take_store()),
      crew_(memory_for(n_threads, store_->memory), std::move(poll)), row_(store_->row),
      target_(store_->target), packs_(store_->packs), order_(store_->order), branch_(store_->branch),
      side_(store_->side), moved_(store_->moved) {
    make_parts();
    row_.clear();
    moved_.assign(table_->n_rows(), to_nowhere); // the positions of rows of the table, to begin with
    for (const int64_t row : rows) {
        moved_[static_cast<size_t>(row)] = static_cast<uint32_t>(row_.size());
        row_.push_back(static_cast<uint32_t>(row));
    }
    branch_.resize(n_rows());
    side_.resize(n_rows());
    packs_.resize(table_->packs.size());
    order_.resize(n_asked());
    const SurrogateTarget &whole = table_->target;
    take(whole.classes, row_, target_.classes);
    take(whole.numbers, row_, target_.numbers);
    take(whole.weight, row_, target_.weight);
    take(whole.row_weight, row_, target_.row_weight);
    target_.n_classes = whole.n_classes;
    crew_.each(n_divisions(), n_rows() * n_asked(), [&](size_t task, SurrogateMemory &memory) {
        const size_t pack = task - ordered_.size();
        if (task < ordered_.size())
            order_of_rows(ordered_[task], memory);
        else
            take(table_->packs[pack].rows, row_, packs_[pack]);
    });
}

/// Takes the rows of a tree from the order of the table.
void SurrogateRows::order_of_rows(size_t f, SurrogateMemory &memory) {
    const Feature &feature = table_->features[f];
    order_[f] = feature.order;
    if (n_rows() < table_->n_rows()) // else positions are numbers of rows
        order_[f].resize(divide_order(order_[f], moved_.data(), feature.distinct, memory)[0]);
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
                 n_parts = (by_known.size() + together - 1) / together, n_packs = table_->packs.size();
    for (size_t p = 0; p < n_packs; ++p)
        parts_.push_back({table_->packs[p].features, p});
    parts_.resize(n_packs + n_parts);
    for (size_t i = 0; i < by_known.size(); ++i)
        parts_[n_packs + i * n_parts / by_known.size()].features.push_back(by_known[i].second);
}

SurrogateRows::Ordered SurrogateRows::ordered(size_t f, const SurrogateNode &node, int64_t known) const {
    const std::span rows(order_[f].data() + node.start, node.size);
    if (known < 0)
        known = std::partition_point(rows.begin(), rows.end(), [](OrderedRow at) { return !at.missing(); }) -
                rows.begin();
    const auto n = static_cast<size_t>(known);
    return {table_->features[f], rows.first(n), rows.subspan(n)};
}

void SurrogateRows::find_starts(const Ordered &column, SurrogateMemory &memory) {
    if (column.feature.distinct)
        memory.starts.assign(column.known.size() / word_rows + 2, ~std::uint64_t{0});
    else
        start_bits(column.known, memory.starts);
}

void SurrogateRows::best_splits(std::span<const SurrogateNode> nodes, const SearchRule &rule,
                                const SurrogateCrew &crew, std::vector<FirstSplit> &found) const {
    const size_t n = n_asked();
    found.resize(nodes.size() * n);
    for (FirstSplit &split : found)
        split.clear();
    size_t n_rows = 0;
    for (const SurrogateNode &node : nodes)
        n_rows += node.size;
    std::vector<std::atomic<double>> best(nodes.size()); // the scores so far
    crew.each(nodes.size() * parts_.size(), n_rows * n, [&](size_t task, SurrogateMemory &memory) {
        const size_t i = task / parts_.size();
        double own = best[i];
        search(parts_[task % parts_.size()], nodes[i], rule, own, found.data() + i * n, memory);
        if (own > best[i])
            best[i] = own; // if another thread's is lost, more is found than need be
    });
}

void SurrogateRows::search(const Part &part, const SurrogateNode &node, const SearchRule &rule, double &best,
                           FirstSplit *found, SurrogateMemory &memory) const {
    if (part.pack != no_pack)
        best_divisions(part, node, rule, best, found, memory);
    else if (rater_.rating == Rating::squares)
        best_of_squares(part, node, rule, best, found, memory);
    else
        for (const size_t f : part.features)
            best_cut(ordered(f, node), node, rule.least, best * rule.costs[f], found[f], memory);
    for (const size_t f : part.features)
        if (rule.only_best && found[f].kind != SplitKind::leaf)
            best = std::max(best, found[f].improvement / rule.costs[f]);
}

} // namespace deciduous
