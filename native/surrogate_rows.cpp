#include "surrogate_rows.hpp"

#include "sorting.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace deciduous {

using std::int32_t;
using std::int64_t;
using std::size_t;
using std::uint32_t;

SurrogateRows::SurrogateRows(std::span<const Column> columns, std::span<const int32_t> n_categories,
                             const Target &target, std::span<const int64_t> rows, std::size_t n_threads,
                             Poll poll)
    : rows_(rows.begin(), rows.end()), base_(rows.size()),
      factor_(target.factor.begin(), target.factor.end()),
      places_(target.places.begin(), target.places.end()), place_(columns.size(), -1), side_(rows.size()),
      branch_(rows.size()), rating_(target.rating), n_threads_(n_threads), poll_(std::move(poll)) {
    std::iota(base_.begin(), base_.end(), 0U);
    const auto taken = [&](const auto &values, auto &into) {
        for (const int64_t row : rows_)
            into.push_back(values[static_cast<size_t>(row)]);
    };
    taken(target.weight, weight_);
    taken(target.row_weight, row_weight_);
    if (target.classes.empty())
        taken(target.numbers, numbers_);
    else
        taken(target.classes, classes_);
    for (size_t c = 0; c < columns.size(); ++c)
        if (columns[c].type != CellType::absent) {
            place_[c] = static_cast<int32_t>(features_.size());
            features_.emplace_back();
            features_.back().column = static_cast<int32_t>(c);
            features_.back().n_categories = n_categories[c];
        }
    share_out(
        features_.size(), n_threads_,
        [&](size_t f, size_t) {
            Feature &feature = features_[f];
            const Column &column = columns[static_cast<size_t>(feature.column)];
            if (feature.n_categories > 0) {
                for (const int64_t row : rows_)
                    feature.codes.push_back(column.code(row));
                return;
            }
            feature.whole = column.type == CellType::code;
            for (const int64_t row : rows_) {
                const double missing = std::numeric_limits<double>::quiet_NaN();
                const int32_t code = feature.whole ? column.code(row) : 0;
                feature.numbers.push_back(!feature.whole ? column.number(row) : code < 0 ? missing : code);
            }
            const Column own{CellType::number, feature.numbers.data(), 1};
            SortScratch scratch;
            const SortedCells sorted = sort_cells(own, base_, scratch);
            for (const std::uint64_t cell : sorted.order)
                feature.order.push_back(SortedCells::position(cell));
            feature.order.insert(feature.order.end(), sorted.missing.begin(), sorted.missing.end());
            for (const uint32_t row : feature.order)
                feature.sorted.push_back(feature.numbers[row]);
        },
        poll_);
}

// --- sums and ratings -------------------------------------------------------------------------------------

void SurrogateRows::add(double *sums, uint32_t row, double mean) const {
    const double w = weight_[row];
    if (!classes_.empty()) {
        sums[classes_[row]] += w;
        return;
    }
    sums[0] += w;
    sums[1] += rating_ == Rating::rates ? w * numbers_[row] : w * (numbers_[row] - mean);
}

namespace {

double impurity(Rating rating, double p) {
    if (rating == Rating::gini)
        return p * (1 - p);
    return p > 0 ? -p * std::log(p) : 0.0;
}

double log_likelihood(double t, double d) {
    return d > 0 ? d * std::log(d / t) : 0.0;
}

double middle_of(double low, double high) {
    return std::isfinite(low + high) ? (low + high) / 2 : low / 2 + high / 2;
}

double cut_between(double low, double high, bool whole) {
    const double middle = middle_of(low, high);
    return whole ? middle : std::nextafter(middle, -HUGE_VAL);
}

} // namespace

/// The impurity of all rows, of classes; nothing else is needed before the sides are rated.
double SurrogateRows::before(const double *total) const {
    if (rating_ == Rating::squares)
        return 0.0;
    if (rating_ == Rating::rates)
        return log_likelihood(total[0], total[1]);
    double weight = 0.0, found = 0.0;
    for (size_t k = 0; k < factor_.size(); ++k)
        weight += total[k] * factor_[k];
    for (size_t k = 0; k < factor_.size(); ++k)
        found += weight * impurity(rating_, total[k] * factor_[k] / weight);
    return found;
}

/// Whether a division is worse than the best so far by more than rounding can tell, by a formula with fewer
/// divisions: A sum g(p) = A - (sum of squares) / A.
bool SurrogateRows::hopeless(const double *left, const double *total, double before_it, double best) const {
    if (rating_ != Rating::gini || best <= 0)
        return false;
    double left_weight = 0.0, right_weight = 0.0, left_squares = 0.0, right_squares = 0.0;
    for (size_t k = 0; k < factor_.size(); ++k) {
        const double on_left = left[k] * factor_[k], on_right = (total[k] - left[k]) * factor_[k];
        left_weight += on_left;
        right_weight += on_right;
        left_squares += on_left * on_left;
        right_squares += on_right * on_right;
    }
    const double after =
        left_weight + right_weight - left_squares / left_weight - right_squares / right_weight;
    return before_it - after < best - 1e-9 * (left_weight + right_weight);
}

double SurrogateRows::improvement(const double *left, const double *total, double before_it,
                                  double risk) const {
    if (rating_ == Rating::squares) {
        const double square = left[1] * left[1];
        return (square / left[0] + square / (total[0] - left[0])) / risk;
    }
    if (rating_ == Rating::rates)
        return 2 * (log_likelihood(left[0], left[1]) +
                    log_likelihood(total[0] - left[0], total[1] - left[1]) - before_it);
    double left_weight = 0.0, right_weight = 0.0, after = 0.0;
    for (size_t k = 0; k < factor_.size(); ++k) {
        left_weight += left[k] * factor_[k];
        right_weight += (total[k] - left[k]) * factor_[k];
    }
    for (size_t k = 0; k < factor_.size(); ++k) {
        after += left_weight * impurity(rating_, left[k] * factor_[k] / left_weight);
        after += right_weight * impurity(rating_, (total[k] - left[k]) * factor_[k] / right_weight);
    }
    return before_it - after;
}

double SurrogateRows::mean_of(const double *sums) const {
    if (classes_.empty())
        return sums[1] / sums[0];
    double weight = 0.0, places = 0.0;
    for (size_t k = 0; k < factor_.size(); ++k) {
        weight += sums[k] * factor_[k];
        places += sums[k] * factor_[k] * places_[k];
    }
    return places / weight;
}

double SurrogateRows::mean_target(std::span<const uint32_t> rows) const {
    if (rating_ != Rating::squares)
        return 0.0;
    double weight = 0.0, sum = 0.0;
    for (const uint32_t row : rows) {
        weight += weight_[row];
        sum += weight_[row] * numbers_[row];
    }
    return sum / weight;
}

void SurrogateRows::add_moments(double *sums, uint32_t row, const SurrogateNode &node) const {
    const double w = weight_[row];
    if (!classes_.empty()) {
        sums[classes_[row]] += w;
        return;
    }
    const double deviation = (numbers_[row] - node.centre) / node.scale;
    sums[0] += w;
    sums[1] += w * deviation;
    sums[2] += w * (deviation * deviation);
}

// --- the search -------------------------------------------------------------------------------------------

std::vector<FirstSplit> SurrogateRows::best_splits(std::span<const SurrogateNode> nodes,
                                                   int64_t least) const {
    std::vector<FirstSplit> found(nodes.size() * features_.size());
    share_out(
        found.size(), n_threads_,
        [&](size_t task, size_t) {
            const SurrogateNode &node = nodes[task / features_.size()];
            found[task] = first_split(features_[task % features_.size()], node, least);
        },
        poll_);
    return found;
}

FirstSplit SurrogateRows::first_split(const Feature &feature, const SurrogateNode &node,
                                      int64_t least) const {
    const bool by_category = feature.n_categories > 0;
    FirstSplit found = by_category ? best_division(feature, node, least) : best_cut(feature, node, least);
    if (found.kind == SplitKind::leaf)
        return found;
    const size_t line = classes_.empty() ? 3 : factor_.size();
    found.sums.assign(3 * line, 0.0);
    for (size_t i = node.start; i < node.start + node.size; ++i) {
        const uint32_t row = base_[i];
        int32_t branch;
        if (by_category)
            branch =
                feature.codes[row] < 0 ? 2 : found.category_branch[static_cast<size_t>(feature.codes[row])];
        else
            branch = std::isnan(feature.numbers[row]) ? 2 : !(feature.numbers[row] <= found.threshold);
        add_moments(found.sums.data() + static_cast<size_t>(branch) * line, row, node);
    }
    return found;
}

FirstSplit SurrogateRows::best_cut(const Feature &feature, const SurrogateNode &node, int64_t least) const {
    FirstSplit best;
    const double *x = feature.sorted.data() + node.start;
    const std::span rows(feature.order.data() + node.start, node.size);
    const auto known = static_cast<size_t>(
        std::partition_point(x, x + node.size, [](double v) { return !std::isnan(v); }) - x);
    best.known = static_cast<int64_t>(known);
    best.constant = known > 0 && x[0] == x[known - 1];
    if (known < 2 || best.constant)
        return best;
    const double mean = mean_target(rows.first(known));
    std::vector<double> total(width()), left(width());
    for (const uint32_t row : rows.first(known))
        add(total.data(), row, mean);
    size_t at = 0;
    const double before_it = before(total.data());
    for (size_t i = 0; i + 1 < known; ++i) {
        add(left.data(), rows[i], mean);
        const auto below = static_cast<int64_t>(i) + 1;
        if (x[i] == x[i + 1] || below < least || best.known - below < least)
            continue;
        ++best.tried;
        if (hopeless(left.data(), total.data(), before_it, best.improvement))
            continue;
        const double value = improvement(left.data(), total.data(), before_it, node.risk);
        if (value > best.improvement) {
            best.improvement = value;
            at = i;
        }
    }
    if (!(best.improvement > 0))
        return best;
    best.kind = SplitKind::threshold;
    best.threshold = cut_between(x[at], x[at + 1], feature.whole);
    return best;
}

namespace {

constexpr size_t exhaustive_categories = 16;

} // namespace

FirstSplit SurrogateRows::best_division(const Feature &feature, const SurrogateNode &node,
                                        int64_t least) const {
    FirstSplit best;
    const size_t line = width(), n_categories = static_cast<size_t>(feature.n_categories);
    std::vector<uint32_t> known;
    for (const uint32_t row : std::span(base_).subspan(node.start, node.size))
        if (feature.codes[row] >= 0)
            known.push_back(row);
    best.known = static_cast<int64_t>(known.size());
    const double mean = known.empty() ? 0.0 : mean_target(known);
    std::vector<double> sums(n_categories * line);
    std::vector<int64_t> counts(n_categories);
    for (const uint32_t row : known) {
        const auto code = static_cast<size_t>(feature.codes[row]);
        ++counts[code];
        add(sums.data() + code * line, row, mean);
    }
    std::vector<size_t> present;
    for (size_t c = 0; c < n_categories; ++c)
        if (counts[c] > 0)
            present.push_back(c);
    best.constant = present.size() == 1;
    if (present.size() < 2)
        return best;
    const size_t n = present.size();
    const bool ordered = classes_.empty() || factor_.size() == 2;
    const auto line_of = [&](size_t item) { return sums.data() + present[item] * line; };
    std::vector<double> total(line), left(line), best_left(line);
    for (size_t item = 0; item < n; ++item)
        for (size_t k = 0; k < line; ++k)
            total[k] += line_of(item)[k];
    const double before_it = before(total.data());
    std::vector<bool> side(n), best_side;
    const auto rate = [&](int64_t count) {
        if (count < least || best.known - count < least)
            return;
        ++best.tried;
        if (hopeless(left.data(), total.data(), before_it, best.improvement))
            return;
        const double value = improvement(left.data(), total.data(), before_it, node.risk);
        if (value > best.improvement) {
            best.improvement = value;
            best_side = side;
            best_left = left;
        }
    };
    if (!ordered && n <= exhaustive_categories) {
        for (size_t number = 1; number < size_t{1} << (n - 1); ++number) {
            const size_t code = number ^ (number >> 1);
            std::fill(left.begin(), left.end(), 0.0);
            int64_t count = 0;
            for (size_t item = 0; item < n; ++item) {
                side[item] = (code >> item & 1) != 0;
                if (!side[item])
                    continue;
                count += counts[present[item]];
                for (size_t k = 0; k < line; ++k)
                    left[k] += line_of(item)[k];
            }
            rate(count);
        }
    } else {
        best.exact = ordered;
        std::vector<double> key(n);
        for (size_t item = 0; item < n; ++item) {
            const double *s = line_of(item);
            key[item] = classes_.empty() || factor_.size() != 2
                            ? mean_of(s)
                            : s[0] * factor_[0] / (s[0] * factor_[0] + s[1] * factor_[1]);
        }
        std::vector<size_t> order(n);
        std::iota(order.begin(), order.end(), size_t{0});
        std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return key[a] < key[b]; });
        int64_t count = 0;
        for (size_t cut = 0; cut + 1 < n; ++cut) {
            side[order[cut]] = true;
            count += counts[present[order[cut]]];
            for (size_t k = 0; k < line; ++k)
                left[k] += line_of(order[cut])[k];
            rate(count);
        }
    }
    if (!(best.improvement > 0))
        return best;
    best.kind = SplitKind::subset;
    best.category_branch.assign(n_categories, -1);
    std::vector<double> right(line);
    for (size_t k = 0; k < line; ++k)
        right[k] = total[k] - best_left[k];
    const bool first = mean_of(best_left.data()) <= mean_of(right.data());
    for (size_t item = 0; item < n; ++item)
        best.category_branch[present[item]] = best_side[item] == first ? 0 : 1;
    return best;
}

// --- division ---------------------------------------------------------------------------------------------

size_t SurrogateRows::divide_feature(Feature &feature, const SurrogateNode &node,
                                     std::vector<double> &numbers, std::vector<uint32_t> &rows) const {
    numbers.clear();
    rows.clear();
    size_t into = node.start;
    for (size_t i = node.start; i < node.start + node.size; ++i) {
        const uint32_t row = feature.order[i];
        if (branch_[row] == 0) {
            feature.order[into] = row;
            feature.sorted[into++] = feature.sorted[i];
        } else if (branch_[row] == 1) {
            rows.push_back(row);
            numbers.push_back(feature.sorted[i]);
        }
    }
    std::copy(rows.begin(), rows.end(), feature.order.begin() + static_cast<std::ptrdiff_t>(into));
    std::copy(numbers.begin(), numbers.end(), feature.sorted.begin() + static_cast<std::ptrdiff_t>(into));
    return into - node.start;
}

std::vector<size_t> SurrogateRows::divide(std::span<const SurrogateNode> nodes) {
    share_out(
        features_.size(), n_threads_,
        [&](size_t f, size_t) {
            if (features_[f].n_categories > 0)
                return;
            std::vector<double> numbers;
            std::vector<uint32_t> rows;
            for (const SurrogateNode &node : nodes)
                divide_feature(features_[f], node, numbers, rows);
        },
        poll_);
    std::vector<size_t> sizes;
    std::vector<uint32_t> aside;
    for (const SurrogateNode &node : nodes) {
        aside.clear();
        size_t into = node.start;
        for (size_t i = node.start; i < node.start + node.size; ++i) {
            const uint32_t row = base_[i];
            if (branch_[row] == 0)
                base_[into++] = row;
            else if (branch_[row] == 1)
                aside.push_back(row);
        }
        std::copy(aside.begin(), aside.end(), base_.begin() + static_cast<std::ptrdiff_t>(into));
        sizes.push_back(into - node.start);
        sizes.push_back(aside.size());
    }
    return sizes;
}

std::vector<int64_t> SurrogateRows::rows_of(size_t start, size_t size) const {
    std::vector<int64_t> found;
    for (const uint32_t row : std::span(base_).subspan(start, size))
        found.push_back(rows_[row]);
    return found;
}

} // namespace deciduous
