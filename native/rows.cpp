#include "rows.hpp"

#include "threads.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

namespace deciduous {
namespace {

using std::int32_t;
using std::int64_t;
using std::size_t;
using std::uint32_t;
using std::uint64_t;

// --- sorting ---------------------------------------------------------------------------------------------

/// A cell as an unsigned number of the same order, and its row.
struct Keyed {
    uint64_t key;
    uint32_t row;
};

uint64_t order_preserving(double x) {
    const auto bits = std::bit_cast<uint64_t>(x + 0.0); // -0 becomes 0: they are one value
    return bits >> 63 ? ~bits : bits | uint64_t{1} << 63;
}

/// Least-significant-digit radix sort, stable; digits that all keys share are passed over.
void sort_by_key(std::vector<Keyed> &cells, std::vector<Keyed> &spare) {
    constexpr unsigned digit_bits = 11, n_digits = 6;
    constexpr size_t n_buckets = size_t{1} << digit_bits;
    std::vector<std::array<uint32_t, n_buckets>> counts(n_digits);
    for (auto &count : counts)
        count.fill(0);
    const auto digit = [](uint64_t key, unsigned d) { return (key >> (d * digit_bits)) & (n_buckets - 1); };
    for (const Keyed &cell : cells)
        for (unsigned d = 0; d < n_digits; ++d)
            ++counts[d][digit(cell.key, d)];
    spare.resize(cells.size());
    for (unsigned d = 0; d < n_digits; ++d) {
        auto &count = counts[d];
        if (cells.empty() || count[digit(cells.front().key, d)] == cells.size())
            continue;
        uint32_t position = 0;
        for (uint32_t &c : count)
            position += std::exchange(c, position);
        for (const Keyed &cell : cells)
            spare[count[digit(cell.key, d)]++] = cell;
        cells.swap(spare);
    }
}

// --- records ---------------------------------------------------------------------------------------------

/// How a record is packed: "a new value starts here" in the top bit, then the class, then the row inside its
/// node.
template <typename R>
struct Packing {
    static constexpr unsigned top = 8 * sizeof(R) - 1;
    unsigned row_bits = 0;
    R row_mask = 0;
    R class_mask = 0; // in place

    Packing() = default;
    Packing(unsigned rows, unsigned classes)
        : row_bits(rows), row_mask(static_cast<R>((R{1} << rows) - 1)),
          class_mask(static_cast<R>(((R{1} << classes) - 1) << rows)) {}

    R pack(bool start, uint32_t class_code, uint32_t row) const {
        return static_cast<R>(R{start} << top | static_cast<R>(class_code) << row_bits | row);
    }
    static bool start(R record) { return record >> top; }
    uint32_t row(R record) const { return static_cast<uint32_t>(record & row_mask); }
    uint32_t class_code(R record) const { return static_cast<uint32_t>((record & class_mask) >> row_bits); }
};

unsigned bits_for(uint64_t n) {
    return n <= 1 ? 0U : static_cast<unsigned>(std::bit_width(n - 1));
}

/// Where a row of a node goes: its place inside its branch. The top bit is the branch of a division in two.
constexpr uint32_t second = uint32_t{1} << 31;

// --- accumulators: the sums on both sides of a moving cut ------------------------------------------------

struct Limits {
    const Rule &rule;
    int64_t own_rows = 0; // the missing rows' own branch
    double own_weight = 0.0;

    bool allow(int64_t left_rows, double left, int64_t right_rows, double right) const {
        const double least = rule.min_weight * (1.0 - rule.slack),
                     cases = rule.min_cases * (1.0 - rule.slack);
        const auto fits = [&](int64_t rows, double weight) {
            return rows == 0 || (rows >= rule.min_rows && weight >= least);
        };
        const int filled = (left_rows > 0) + (right_rows > 0) + (own_rows > 0);
        const int heavy = (left >= cases) + (right >= cases) + (own_rows > 0 && own_weight >= cases);
        return filled >= 2 && heavy >= (cases > 0.0 ? 2 : 0) && fits(left_rows, left) &&
               fits(right_rows, right) && fits(own_rows, own_weight);
    }
    bool any() const { return rule.min_rows > 1 || rule.min_weight > 0.0 || rule.min_cases > 0.0; }
};

/// The sums of the rows on the two sides of a cut, as borrowed memory: class weights, or (w, w*y, w*y*y).
struct Sides {
    std::span<double> left, right;
    int64_t left_rows = 0, right_rows = 0;
};

/// Classes of unit weight, by Gini or entropy: each step is a table look-up or a product.
template <Measure measure>
class UnitClasses {
public:
    UnitClasses(const WholeNumbers &numbers, const Sides &sides)
        : inverse_(numbers.inverse.data()), n_log_n_(numbers.n_log_n.data()), l_(sides.left.data()),
          r_(sides.right.data()), n_left_(sides.left_rows), n_right_(sides.right_rows) {
        for (const double n : sides.left)
            left_ += cell(n);
        for (const double n : sides.right)
            right_ += cell(n);
    }
    void move(uint32_t c, uint32_t) {
        double &l = l_[c], &r = r_[c];
        if constexpr (measure == Measure::gini) {
            left_ += l + l + 1.0;
            right_ -= r + r - 1.0;
        } else {
            const auto nl = static_cast<size_t>(l), nr = static_cast<size_t>(r);
            left_ += n_log_n_[nl + 1] - n_log_n_[nl];
            right_ += n_log_n_[nr - 1] - n_log_n_[nr];
        }
        l += 1.0;
        r -= 1.0;
        ++n_left_;
        --n_right_;
    }
    double score() const {
        if constexpr (measure == Measure::gini)
            return left_ * inverse_[n_left_] + right_ * inverse_[n_right_];
        else
            return left_ - n_log_n_[n_left_] + right_ - n_log_n_[n_right_];
    }
    double left_weight() const { return static_cast<double>(n_left_); }
    double right_weight() const { return static_cast<double>(n_right_); }

private:
    double cell(double n) const {
        return measure == Measure::gini ? n * n : n_log_n_[static_cast<size_t>(n)];
    }
    const double *inverse_, *n_log_n_;
    double *l_, *r_;
    double left_ = 0.0, right_ = 0.0;
    int64_t n_left_, n_right_;
};

/// Two classes by Gini, or numbers by squared error, of unit weight. Both gain by the square of one running
/// sum t: of y - mean, with y the number, or 1 for the second class. A cut gains t^2 (1/left + 1/right), and
/// Gini twice that.
template <bool classes>
class UnitBalance {
public:
    /// `sums`: that of y on the left side, and on both; `base` is what the gain is added to.
    UnitBalance(const WholeNumbers &numbers, const Sides &sides, double left, double all, const double *y,
                double base)
        : y_(y), left_(numbers.inverse.data() + sides.left_rows),
          right_(numbers.inverse.data() + sides.right_rows), origin_(left_), n_left_(sides.left_rows),
          n_right_(sides.right_rows), base_(base) {
        const auto n = static_cast<double>(n_left_ + n_right_);
        // Of classes the sum is kept times n: whole numbers, exact.
        mean_ = classes ? all : all / n;
        one_ = classes ? n - all : 0.0;
        t_ = classes ? left * n - static_cast<double>(n_left_) * all
                     : left - static_cast<double>(n_left_) * mean_;
        factor_ = classes ? 2.0 / n : n;
    }
    void move(uint32_t c, uint32_t row) {
        if constexpr (classes)
            t_ += c ? one_ : -mean_;
        else
            t_ += y_[row] - mean_;
        ++left_;
        --right_;
    }
    double score() const { return t_ * t_ * (*left_ * *right_) * factor_ + base_; }
    double left_weight() const { return static_cast<double>(n_left_) + moved(); }
    double right_weight() const { return static_cast<double>(n_right_) - moved(); }

private:
    double moved() const { return static_cast<double>(left_ - origin_); }
    const double *y_, *left_, *right_, *const origin_;
    int64_t n_left_, n_right_;
    double mean_, one_, t_, factor_, base_;
};

/// Classes with weights, or by misclassification: the purity of both sides is worked out at every cut.
class WeightedClasses {
public:
    WeightedClasses(Measure measure, const double *weights, const Sides &sides)
        : measure_(measure), weights_(weights), l_(sides.left), r_(sides.right) {
        for (const double w : l_)
            left_ += w;
        for (const double w : r_)
            right_ += w;
    }
    void move(uint32_t c, uint32_t row) {
        const double w = weights_ ? weights_[row] : 1.0;
        l_[c] += w;
        r_[c] -= w;
        left_ += w;
        right_ -= w;
    }
    double score() const { return purity(measure_, l_) + purity(measure_, r_); }
    double left_weight() const { return left_; }
    double right_weight() const { return right_; }

private:
    Measure measure_;
    const double *weights_;
    std::span<double> l_, r_;
    double left_ = 0.0, right_ = 0.0;
};

/// Numbers, centred on the node: sums of weights and of deviations.
class Moments {
public:
    Moments(const double *deviation, const double *weights, const Sides &sides)
        : deviation_(deviation), weights_(weights), wl_(sides.left[0]), sl_(sides.left[1]),
          wr_(sides.right[0]), sr_(sides.right[1]) {}
    void move(uint32_t, uint32_t row) {
        const double w = weights_ ? weights_[row] : 1.0, s = w * deviation_[row];
        wl_ += w;
        sl_ += s;
        wr_ -= w;
        sr_ -= s;
    }
    double score() const { return (sl_ * sl_ * wr_ + sr_ * sr_ * wl_) / (wl_ * wr_); }
    double left_weight() const { return wl_; }
    double right_weight() const { return wr_; }

private:
    const double *deviation_, *weights_;
    double wl_, sl_, wr_, sr_;
};

/// One pass: offers every cut between different values. `left` and `right` are the missing rows counted on
/// each side.
template <bool limited, typename R, typename Accumulator>
void scan(std::span<const R> known, const Packing<R> &packing, Accumulator sides, int64_t left, int64_t right,
          Place place, double extra, const Limits &limits, FirstBest &best, int64_t &tried) {
    const auto n = static_cast<int64_t>(known.size());
    double floor = best.floor() - extra;
    int64_t starts = 0;
    for (int64_t i = 0; i < n; ++i) {
        const R record = known[static_cast<size_t>(i)];
        if (Packing<R>::start(record) && i > 0) {
            if (!limited ||
                limits.allow(i + left, sides.left_weight(), n - i + right, sides.right_weight())) {
                ++starts;
                const double score = sides.score();
                if (score >= floor) [[unlikely]] {
                    best.offer({i, place, score + extra, sides.left_weight(), sides.right_weight()});
                    floor = best.floor() - extra;
                }
            }
        }
        sides.move(packing.class_code(record), packing.row(record));
    }
    tried += starts;
}

double power_of_two_above(double x) {
    int exponent = 0;
    std::frexp(x, &exponent);
    return x > 0.0 ? std::ldexp(1.0, std::min(exponent, 1023)) : 1.0;
}

} // namespace

// --- state -----------------------------------------------------------------------------------------------

struct Rows::State {
    struct Ordered {
        int32_t feature = 0;
        std::vector<uint32_t> narrow;
        std::vector<uint64_t> wide;
        bool has_missing = false;
        template <typename R>
        std::vector<R> &records() {
            if constexpr (sizeof(R) == 4)
                return narrow;
            else
                return wide;
        }
    };
    struct Nominal {
        int32_t feature = 0;
        std::vector<int32_t> codes; // by position
    };

    std::vector<Column> columns;
    std::vector<int32_t> n_categories;
    int32_t n_classes = 0;
    size_t n_threads = 1;
    int64_t n = 0;
    bool is_wide = false;
    Packing<uint32_t> narrow_packing;
    Packing<uint64_t> wide_packing;
    WholeNumbers whole{0};
    // By position: the rows of a node lie together, in their original order.
    std::vector<uint32_t> original;
    std::vector<int32_t> classes;
    std::vector<double> numbers, weights, deviation;
    std::vector<Ordered> ordered;
    std::vector<Nominal> nominal;
    // Between `divide` and `keep`.
    std::vector<Segment> divided;
    std::vector<int64_t> first_branch, branch_rows; // of each divided node; the rows of each branch
    std::vector<int32_t> branch;                    // by position
    std::vector<uint32_t> place;                    // by position

    bool has_classes() const { return n_classes > 0; }
    /// Threads for work on so many cells: starting one costs as much as some ten thousand of them.
    size_t threads_for(size_t cells) const { return cells < 50'000 ? 1 : n_threads; }
    template <typename R>
    const Packing<R> &packing() const {
        if constexpr (sizeof(R) == 4)
            return narrow_packing;
        else
            return wide_packing;
    }
    bool is_missing(int32_t feature, uint32_t row) const {
        const Column &column = columns[static_cast<size_t>(feature)];
        return column.type == CellType::number ? std::isnan(column.number(row)) : column.code(row) < 0;
    }
    double value(int32_t feature, uint32_t row) const {
        const Column &column = columns[static_cast<size_t>(feature)];
        return column.type == CellType::number ? column.number(row) : static_cast<double>(column.code(row));
    }

    template <typename R>
    void sort_feature(Ordered &feature);
    Summary summarise(const Segment &segment, const std::vector<uint32_t> &members) const;
    template <typename R>
    class Search;
    template <typename R>
    void partition(std::vector<R> &records, size_t node, std::span<const uint8_t> kept,
                   std::vector<R> &spare) const;
    template <typename T>
    void gather(std::vector<T> &values, size_t node, std::span<const uint8_t> kept,
                std::vector<T> &spare) const;
    void branches_of(const Segment &node, const Question &question);
    void centre(const Segment &node, const Summary &summary, double *moments);
};

template <typename R>
void Rows::State::sort_feature(Ordered &feature) {
    std::vector<Keyed> cells, spare;
    std::vector<uint32_t> missing;
    cells.reserve(static_cast<size_t>(n));
    for (uint32_t i = 0; i < n; ++i) {
        const uint32_t row = original[i];
        if (is_missing(feature.feature, row))
            missing.push_back(i);
        else
            cells.push_back({order_preserving(value(feature.feature, row)), i});
    }
    sort_by_key(cells, spare);
    auto &records = feature.template records<R>();
    records.reserve(static_cast<size_t>(n));
    const auto class_of = [&](uint32_t i) { return has_classes() ? static_cast<uint32_t>(classes[i]) : 0U; };
    for (size_t k = 0; k < cells.size(); ++k)
        records.push_back(packing<R>().pack(k == 0 || cells[k].key != cells[k - 1].key,
                                            class_of(cells[k].row), cells[k].row));
    for (const uint32_t i : missing) // behind the known ones, wherever the rows go
        records.push_back(packing<R>().pack(false, class_of(i), i));
    feature.has_missing = !missing.empty();
}

Rows::Rows(std::vector<Column> columns, std::vector<int32_t> n_categories, const Target &target,
           std::span<const int64_t> rows, size_t n_threads)
    : state_(std::make_unique<State>()) {
    State &s = *state_;
    if (rows.size() >= second)
        throw std::invalid_argument("at most 2,147,483,647 rows can be grown on");
    s.columns = std::move(columns);
    s.n_categories = std::move(n_categories);
    s.n_classes = target.classes.empty() ? 0 : target.n_classes;
    s.n_threads = std::max<size_t>(1, n_threads);
    s.n = static_cast<int64_t>(rows.size());
    const unsigned row_bits = bits_for(rows.size());
    const unsigned class_bits = bits_for(static_cast<uint64_t>(std::max(s.n_classes, 1)));
    s.is_wide = row_bits + class_bits > 31;
    if (s.is_wide)
        s.wide_packing = Packing<uint64_t>(row_bits, class_bits);
    else
        s.narrow_packing = Packing<uint32_t>(row_bits, class_bits);
    for (const int64_t row : rows) {
        s.original.push_back(static_cast<uint32_t>(row));
        if (s.has_classes())
            s.classes.push_back(target.classes[static_cast<size_t>(row)]);
        else
            s.numbers.push_back(target.numbers[static_cast<size_t>(row)]);
        if (!target.weights.empty())
            s.weights.push_back(target.weights[static_cast<size_t>(row)]);
    }
    if (s.weights.empty())
        s.whole = WholeNumbers(rows.size());
    if (!s.has_classes())
        s.deviation.resize(rows.size());
    s.branch.resize(rows.size());
    s.place.resize(rows.size());
    for (size_t f = 0; f < s.columns.size(); ++f) {
        if (s.columns[f].type == CellType::absent)
            continue;
        const auto feature = static_cast<int32_t>(f);
        if (s.n_categories[f] > 0) {
            State::Nominal &nominal = s.nominal.emplace_back();
            nominal.feature = feature;
            for (const uint32_t row : s.original)
                nominal.codes.push_back(s.columns[f].code(row));
        } else {
            s.ordered.emplace_back().feature = feature;
        }
    }
    share_out(s.ordered.size(), s.n_threads, [&](size_t i, size_t) {
        s.is_wide ? s.sort_feature<uint64_t>(s.ordered[i]) : s.sort_feature<uint32_t>(s.ordered[i]);
    });
}

Rows::~Rows() = default;

size_t Rows::n_rows() const {
    return static_cast<size_t>(state_->n);
}

// --- summaries -------------------------------------------------------------------------------------------

/// Summarises the rows at some places of a segment, in order; the sums are those of the NumPy twin.
Summary Rows::State::summarise(const Segment &segment, const std::vector<uint32_t> &members) const {
    Summary summary;
    summary.rows = static_cast<int64_t>(members.size());
    const auto at = [&](uint32_t member) { return static_cast<size_t>(segment.start) + member; };
    const auto weight = [&](uint32_t member) { return weights.empty() ? 1.0 : weights[at(member)]; };
    if (has_classes()) {
        summary.classes.assign(static_cast<size_t>(n_classes), 0.0);
        for (const uint32_t member : members)
            summary.classes[static_cast<size_t>(classes[at(member)])] += weight(member);
        summary.weight = std::accumulate(summary.classes.begin(), summary.classes.end(), 0.0);
        summary.pure = std::count_if(summary.classes.begin(), summary.classes.end(),
                                     [](double w) { return w > 0.0; }) <= 1;
        return summary;
    }
    if (members.empty())
        return summary;
    double low = numbers[at(members[0])], high = low;
    for (const uint32_t member : members) {
        low = std::min(low, numbers[at(member)]);
        high = std::max(high, numbers[at(member)]);
        summary.weight += weight(member);
    }
    summary.pure = low == high;
    const double middle = std::isfinite(high - low) ? low + (high - low) / 2 : low / 2 + high / 2;
    summary.scale = power_of_two_above(std::max(high - middle, middle - low));
    double offset = 0.0;
    for (const uint32_t member : members)
        offset += weight(member) * ((numbers[at(member)] - middle) / summary.scale);
    offset /= summary.weight;
    for (const uint32_t member : members) {
        const double distance = (numbers[at(member)] - middle) / summary.scale - offset;
        summary.variance += weight(member) * distance * distance;
    }
    summary.variance = summary.pure ? 0.0 : summary.variance / summary.weight;
    summary.mean = summary.centre = summary.pure ? low : middle + offset * summary.scale;
    return summary;
}

Summary Rows::root() const {
    std::vector<uint32_t> all(static_cast<size_t>(state_->n));
    std::iota(all.begin(), all.end(), 0U);
    return state_->summarise({0, state_->n}, all);
}

namespace {

size_t n_cells(std::span<const Segment> nodes, size_t n_arrays) {
    size_t rows = 0;
    for (const Segment &node : nodes)
        rows += static_cast<size_t>(node.size);
    return rows * n_arrays;
}

} // namespace

// --- dividing --------------------------------------------------------------------------------------------

/// Works out the branch of every row of a node with the routine of the walk down a tree.
void Rows::State::branches_of(const Segment &node, const Question &question) {
    const Column &column = columns[static_cast<size_t>(question.feature)];
    const Test test = test_of(question.kind, column.type);
    const std::span<const int32_t> codes = question.branch_of_code;
    for (int64_t i = node.start; i < node.start + node.size; ++i) {
        const int32_t answer =
            branch_of(test, question.threshold, codes.data(), static_cast<int32_t>(codes.size()), column,
                      original[static_cast<size_t>(i)]);
        branch[static_cast<size_t>(i)] = answer < 0 ? question.missing_branch : answer;
    }
}

std::vector<Summary> Rows::divide(std::span<const Segment> nodes, std::span<const Question> questions) {
    State &s = *state_;
    s.divided.assign(nodes.begin(), nodes.end());
    s.first_branch.assign(1, 0);
    for (const Question &question : questions)
        s.first_branch.push_back(s.first_branch.back() + question.n_branches);
    std::vector<Summary> summaries(static_cast<size_t>(s.first_branch.back()));
    s.branch_rows.assign(summaries.size(), 0);
    share_out(nodes.size(), s.threads_for(n_cells(nodes, 2)), [&](size_t k, size_t) {
        s.branches_of(nodes[k], questions[k]);
        std::vector<std::vector<uint32_t>> members(static_cast<size_t>(questions[k].n_branches));
        for (int64_t i = 0; i < nodes[k].size; ++i)
            members[static_cast<size_t>(s.branch[static_cast<size_t>(nodes[k].start + i)])].push_back(
                static_cast<uint32_t>(i));
        for (size_t b = 0; b < members.size(); ++b) {
            const auto at = static_cast<size_t>(s.first_branch[k]) + b;
            summaries[at] = s.summarise(nodes[k], members[b]);
            s.branch_rows[at] = static_cast<int64_t>(members[b].size());
        }
    });
    return summaries;
}

/// Distributes the records of a node to its kept branches, in order; a value that is new in the node, or
/// among the records that went to a branch since, starts there.
template <typename R>
void Rows::State::partition(std::vector<R> &records, size_t node, std::span<const uint8_t> kept,
                            std::vector<R> &spare) const {
    const Segment &segment = divided[node];
    const auto first = static_cast<size_t>(first_branch[node]),
               end = static_cast<size_t>(first_branch[node + 1]);
    const Packing<R> &pack = packing<R>();
    R *const begin = records.data() + segment.start;
    const auto size = static_cast<size_t>(segment.size);
    const uint32_t *const places = place.data() + segment.start;
    spare.resize(std::max(spare.size(), size));
    if (end - first == 2) {
        // The first branch in place, the second aside, without a branch for the processor to guess.
        R *left = begin, *right = spare.data();
        R left_starts = 0, right_starts = 0;
        for (size_t i = 0; i < size; ++i) {
            const R record = begin[i];
            const R start = record >> Packing<R>::top;
            const uint32_t where = places[pack.row(record)];
            const R moved = static_cast<R>((record & pack.class_mask) | (where & ~second));
            const R to_right = where >> 31;
            left_starts |= start;
            right_starts |= start;
            *left = static_cast<R>(moved | left_starts << Packing<R>::top);
            *right = static_cast<R>(moved | right_starts << Packing<R>::top);
            left += 1 - to_right;
            right += to_right;
            left_starts &= to_right;
            right_starts &= static_cast<R>(1 - to_right);
        }
        const auto n_right = static_cast<size_t>(right - spare.data());
        if (!kept[first]) // the second branch then begins where the node began
            std::memcpy(begin, spare.data(), n_right * sizeof(R));
        else if (kept[first + 1])
            std::memcpy(left, spare.data(), n_right * sizeof(R));
        return;
    }
    std::vector<size_t> next(end - first);
    std::vector<int64_t> last_value(end - first, -1);
    size_t offset = 0;
    for (size_t b = first; b < end; ++b) {
        next[b - first] = offset;
        offset += kept[b] ? static_cast<size_t>(branch_rows[b]) : 0;
    }
    const int32_t *const branches = branch.data() + segment.start;
    int64_t value = 0;
    for (size_t i = 0; i < size; ++i) {
        const R record = begin[i];
        const uint32_t row = pack.row(record);
        const auto b = static_cast<size_t>(branches[row]);
        value += Packing<R>::start(record);
        if (!kept[first + b])
            continue;
        const bool start = last_value[b] != value;
        last_value[b] = value;
        spare[next[b]++] =
            static_cast<R>((record & pack.class_mask) | places[row] | R{start} << Packing<R>::top);
    }
    std::memcpy(begin, spare.data(), offset * sizeof(R));
}

/// Moves what is kept by position to the kept branches, in order.
template <typename T>
void Rows::State::gather(std::vector<T> &values, size_t node, std::span<const uint8_t> kept,
                         std::vector<T> &spare) const {
    if (values.empty())
        return;
    const Segment &segment = divided[node];
    const auto first = static_cast<size_t>(first_branch[node]),
               end = static_cast<size_t>(first_branch[node + 1]);
    std::vector<size_t> next(end - first);
    size_t offset = 0;
    for (size_t b = first; b < end; ++b) {
        next[b - first] = offset;
        offset += kept[b] ? static_cast<size_t>(branch_rows[b]) : 0;
    }
    spare.resize(std::max(spare.size(), offset));
    const auto begin = static_cast<size_t>(segment.start);
    for (size_t i = 0; i < static_cast<size_t>(segment.size); ++i) {
        const auto b = static_cast<size_t>(branch[begin + i]);
        if (kept[first + b])
            spare[next[b]++] = values[begin + i];
    }
    std::copy_n(spare.begin(), offset, values.begin() + segment.start);
}

std::vector<Segment> Rows::keep(std::span<const uint8_t> kept) {
    State &s = *state_;
    std::vector<Segment> segments;
    std::vector<size_t> moving; // nodes with a kept branch
    for (size_t k = 0; k < s.divided.size(); ++k) {
        int64_t start = s.divided[k].start;
        bool any = false;
        for (auto b = static_cast<size_t>(s.first_branch[k]); b < static_cast<size_t>(s.first_branch[k + 1]);
             ++b) {
            if (!kept[b])
                continue;
            segments.push_back({start, s.branch_rows[b]});
            start += s.branch_rows[b];
            any = true;
        }
        if (any)
            moving.push_back(k);
    }
    // Ordered features, then nominal ones, then what is kept by position: all independent of each other.
    const size_t n_arrays = s.ordered.size() + s.nominal.size();
    const size_t n_threads = s.threads_for(n_cells(s.divided, n_arrays + 1));
    share_out(moving.size(), n_threads, [&](size_t m, size_t) {
        const size_t k = moving[m];
        const Segment &node = s.divided[k];
        std::vector<uint32_t> next(static_cast<size_t>(s.first_branch[k + 1] - s.first_branch[k]), 0);
        const bool in_two = next.size() == 2;
        for (auto i = static_cast<size_t>(node.start); i < static_cast<size_t>(node.start + node.size); ++i) {
            const auto b = static_cast<size_t>(s.branch[i]);
            s.place[i] = next[b]++ | (in_two && b == 1 ? second : 0U);
        }
    });
    std::vector<std::vector<uint32_t>> narrow(s.n_threads);
    std::vector<std::vector<uint64_t>> wide(s.n_threads);
    std::vector<std::vector<int32_t>> codes(s.n_threads);
    share_out(moving.size() * n_arrays, n_threads, [&](size_t task, size_t thread) {
        const size_t k = moving[task / n_arrays], a = task % n_arrays;
        if (a >= s.ordered.size())
            s.gather(s.nominal[a - s.ordered.size()].codes, k, kept, codes[thread]);
        else if (s.is_wide)
            s.partition(s.ordered[a].wide, k, kept, wide[thread]);
        else
            s.partition(s.ordered[a].narrow, k, kept, narrow[thread]);
    });
    std::vector<std::vector<double>> doubles(s.n_threads);
    share_out(moving.size(), n_threads, [&](size_t m, size_t thread) {
        s.gather(s.original, moving[m], kept, narrow[thread]);
        s.gather(s.classes, moving[m], kept, codes[thread]);
        s.gather(s.numbers, moving[m], kept, doubles[thread]);
        s.gather(s.weights, moving[m], kept, doubles[thread]);
    });
    return segments;
}

// --- searching -------------------------------------------------------------------------------------------

namespace {

/// The memory of one thread's searches.
struct Scratch {
    std::vector<double> left, right, both, known, missing;
    FirstBest best, to_left, to_right;
    explicit Scratch(size_t width) : left(width), right(width), both(width), known(width), missing(width) {}
};

double weight_of(std::span<const double> sums, bool has_classes) {
    return has_classes ? std::accumulate(sums.begin(), sums.end(), 0.0) : sums[0];
}

} // namespace

/// The search for the best threshold of one feature in one node.
template <typename R>
class Rows::State::Search {
public:
    Search(const State &state, Ordered &feature, const Segment &node, const Summary &summary,
           std::span<const double> totals, const Rule &rule, Scratch &scratch)
        : s_(state), feature_(feature.feature), summary_(summary), rule_(rule), scratch_(scratch),
          pack_(s_.packing<R>()),
          records_(feature.template records<R>().data() + node.start, static_cast<size_t>(node.size)),
          rows_(s_.original.data() + node.start),
          weights_(s_.weights.empty() ? nullptr : s_.weights.data() + node.start),
          deviation_(s_.has_classes() ? nullptr : s_.deviation.data() + node.start) {
        known_ = records_.first(feature.has_missing ? known_rows() : records_.size());
        unknown_ = records_.subspan(known_.size());
        if (!unknown_.empty())
            sum(unknown_, scratch_.missing);
        if (unknown_.empty()) {
            std::copy(totals.begin(), totals.end(), scratch_.known.begin());
        } else if (!unknown_.empty()) {
            sum(known_, scratch_.known);
        }
        counted_ = rule.missing != MissingPolicy::known_only && !unknown_.empty();
        own_ = counted_ && rule.missing == MissingPolicy::branch;
    }

    void run(double band, size_t at, Thresholds &out, bool tables) {
        scratch_.best.reset(band * summary_.weight * unit());
        if (counted_ && rule_.missing == MissingPolicy::direction)
            both_directions();
        else
            pass(Place::nowhere, scratch_.best);
        if (counted_)
            known_or_not();
        out.tried[at] = tried_;
        if (scratch_.best.empty())
            out.values[at] =
                std::count_if(known_.begin(), known_.end(), [](R r) { return Packing<R>::start(r); });
        else
            report(scratch_.best.first(), at, out);
        if (tables)
            tabulate(at, out);
    }

private:
    double unit() const { return rule_.measure == Measure::entropy ? std::log(2.0) : 1.0; }

    size_t known_rows() const {
        const auto known = [&](const R &record) {
            return !s_.is_missing(feature_, rows_[pack_.row(record)]);
        };
        return static_cast<size_t>(std::partition_point(records_.begin(), records_.end(), known) -
                                   records_.begin());
    }

    void sum(std::span<const R> part, std::span<double> sums) const {
        std::fill(sums.begin(), sums.end(), 0.0);
        for (const R record : part) {
            const uint32_t row = pack_.row(record);
            const double w = weights_ ? weights_[row] : 1.0;
            if (s_.has_classes()) {
                sums[pack_.class_code(record)] += w;
            } else {
                sums[0] += w;
                sums[1] += w * deviation_[row];
                sums[2] += w * deviation_[row] * deviation_[row];
            }
        }
    }

    /// Scans once; at `Place::left` and `Place::right` the missing rows are counted on that side.
    void pass(Place place, FirstBest &found) {
        auto &left = scratch_.left, &right = scratch_.right;
        const auto n_known = static_cast<int64_t>(known_.size()),
                   n_missing = static_cast<int64_t>(unknown_.size());
        const bool to_left = place == Place::left, to_right = place == Place::right;
        for (size_t i = 0; i < left.size(); ++i) {
            left[i] = to_left ? scratch_.missing[i] : 0.0;
            right[i] = to_right ? scratch_.known[i] + scratch_.missing[i] : scratch_.known[i];
        }
        const Sides sides{left, right, to_left ? n_missing : 0, n_known + (to_right ? n_missing : 0)};
        const Limits limits{rule_, own_ ? n_missing : 0,
                            own_ ? weight_of(scratch_.missing, s_.has_classes()) : 0.0};
        const double extra = own_ ? purity(rule_.measure, scratch_.missing) : 0.0;
        const Place where = own_ ? Place::own_branch : place;
        const auto go = [&](auto accumulator) {
            const int64_t right_missing = sides.right_rows - n_known;
            if (limits.any())
                scan<true>(known_, pack_, accumulator, sides.left_rows, right_missing, where, extra, limits,
                           found, tried_);
            else
                scan<false>(known_, pack_, accumulator, sides.left_rows, right_missing, where, extra, limits,
                            found, tried_);
        };
        const auto base = [&] {
            for (size_t i = 0; i < left.size(); ++i)
                scratch_.both[i] = left[i] + right[i];
            return purity(rule_.measure, scratch_.both);
        };
        if (!s_.has_classes() && !weights_)
            go(UnitBalance<false>(s_.whole, sides, left[1], left[1] + right[1], deviation_, base()));
        else if (!s_.has_classes())
            go(Moments(deviation_, weights_, sides));
        else if (!weights_ && rule_.measure == Measure::gini && left.size() == 2)
            go(UnitBalance<true>(s_.whole, sides, left[1], left[1] + right[1], nullptr, base()));
        else if (!weights_ && rule_.measure == Measure::gini)
            go(UnitClasses<Measure::gini>(s_.whole, sides));
        else if (!weights_ && rule_.measure == Measure::entropy)
            go(UnitClasses<Measure::entropy>(s_.whole, sides));
        else
            go(WeightedClasses(rule_.measure, weights_, sides));
    }

    /// Every cut with the missing rows left, then right: two passes, merged in that order.
    void both_directions() {
        FirstBest &to_left = scratch_.to_left, &to_right = scratch_.to_right;
        to_left = to_right = scratch_.best;
        pass(Place::left, to_left);
        pass(Place::right, to_right);
        while (!to_left.empty() || !to_right.empty()) {
            const bool left_next =
                !to_left.empty() && (to_right.empty() || to_left.first().index <= to_right.first().index);
            FirstBest &from = left_next ? to_left : to_right;
            if (from.first().score >= scratch_.best.floor())
                scratch_.best.offer(from.first());
            from.drop_first();
        }
    }

    void known_or_not() {
        const auto n_known = static_cast<int64_t>(known_.size()),
                   n_missing = static_cast<int64_t>(unknown_.size());
        const double known = weight_of(scratch_.known, s_.has_classes()),
                     missing = weight_of(scratch_.missing, s_.has_classes());
        if (!Limits{rule_}.allow(n_known, known, n_missing, missing))
            return;
        ++tried_;
        const double score = purity(rule_.measure, scratch_.known) + purity(rule_.measure, scratch_.missing);
        if (score >= scratch_.best.floor())
            scratch_.best.offer({n_known, Place::known_or_not, score, known, missing});
    }

    void report(const Cut &chosen, size_t at, Thresholds &out) {
        auto &all = scratch_.left; // the cut is found: its sums are free
        for (size_t i = 0; i < all.size(); ++i)
            all[i] = scratch_.known[i] + (counted_ ? scratch_.missing[i] : 0.0);
        // gain = rho (P - P0) / W of the known rows, which is (P - P0) / W of all: the known share is
        // multiplied in.
        out.gain[at] = (chosen.score - purity(rule_.measure, all)) / (summary_.weight * unit());
        out.place[at] = static_cast<uint8_t>(chosen.place);
        out.left[at] = chosen.left;
        out.right[at] = chosen.right;
        if (chosen.place == Place::known_or_not)
            return;
        const auto cut = static_cast<size_t>(chosen.index);
        out.low[at] = s_.value(feature_, rows_[pack_.row(known_[cut - 1])]);
        out.high[at] = s_.value(feature_, rows_[pack_.row(known_[cut])]);
    }

    /// Writes the sums of the three branches of the best candidate, and of the missing rows.
    void tabulate(size_t at, Thresholds &out) {
        const size_t width = scratch_.left.size();
        const std::span<double> lines(out.tables.data() + at * 4 * width, 4 * width);
        const std::span<int64_t> counts(out.counts.data() + at * 4, 4);
        const auto n_missing = static_cast<int64_t>(unknown_.size());
        const auto missing = lines.subspan(3 * width, width);
        if (n_missing > 0)
            std::copy(scratch_.missing.begin(), scratch_.missing.end(), missing.begin());
        counts[3] = n_missing;
        if (scratch_.best.empty())
            return;
        const Cut &chosen = scratch_.best.first();
        const auto cut = static_cast<size_t>(chosen.index);
        sum(known_.first(cut), lines.first(width));
        sum(known_.subspan(cut), lines.subspan(width, width));
        counts[0] = chosen.index;
        counts[1] = static_cast<int64_t>(known_.size()) - chosen.index;
        const size_t side = chosen.place == Place::left           ? 0
                            : chosen.place == Place::right        ? 1
                            : chosen.place == Place::known_or_not ? 1
                            : chosen.place == Place::own_branch   ? 2
                                                                  : 3;
        if (side == 3)
            return;
        for (size_t i = 0; i < width; ++i)
            lines[side * width + i] += missing[i];
        counts[side] += n_missing;
    }

    const State &s_;
    int32_t feature_;
    const Summary &summary_;
    const Rule &rule_;
    Scratch &scratch_;
    const Packing<R> &pack_;
    std::span<const R> records_, known_, unknown_;
    const uint32_t *rows_;
    const double *weights_, *deviation_;
    bool counted_ = false, own_ = false;
    int64_t tried_ = 0;
};

/// Works out the numbers of a node as they are scanned, and their moments.
void Rows::State::centre(const Segment &node, const Summary &summary, double *moments) {
    for (auto i = static_cast<size_t>(node.start); i < static_cast<size_t>(node.start + node.size); ++i) {
        const double d = (numbers[i] - summary.centre) / summary.scale,
                     w = weights.empty() ? 1.0 : weights[i];
        deviation[i] = d;
        moments[0] += w;
        moments[1] += w * d; // the centre is a rounded mean: this is nearly 0, and its digits count
        moments[2] += w * d * d;
    }
}

Thresholds Rows::best_thresholds(std::span<const Segment> nodes, std::span<const Summary> summaries,
                                 std::span<const double> classes, std::span<const double> bands,
                                 const Rule &rule, bool tables) {
    State &s = *state_;
    const size_t n_threads = s.threads_for(n_cells(nodes, s.ordered.size()));
    const size_t width = s.has_classes() ? static_cast<size_t>(s.n_classes) : 3;
    std::vector<double> moments(s.has_classes() ? 0 : nodes.size() * width);
    if (!s.has_classes())
        share_out(nodes.size(), n_threads,
                  [&](size_t k, size_t) { s.centre(nodes[k], summaries[k], moments.data() + k * width); });
    const std::span<const double> totals = s.has_classes() ? classes : std::span<const double>(moments);
    const size_t n_features = s.ordered.size(), n = nodes.size() * n_features;
    Thresholds out;
    out.gain.assign(n, -HUGE_VAL);
    out.low.resize(n);
    out.high.resize(n);
    out.left.resize(n);
    out.right.resize(n);
    out.place.resize(n);
    out.tried.resize(n);
    out.values.resize(n);
    if (tables) {
        out.tables.resize(n * 4 * width);
        out.counts.resize(n * 4);
    }
    std::vector<Scratch> scratch(s.n_threads, Scratch(width));
    const auto search = [&](size_t at, size_t thread) {
        const size_t k = at / n_features;
        State::Ordered &feature = s.ordered[at % n_features];
        const auto own = totals.subspan(k * width, width);
        if (s.is_wide)
            State::Search<uint64_t>(s, feature, nodes[k], summaries[k], own, rule, scratch[thread])
                .run(bands[k], at, out, tables);
        else
            State::Search<uint32_t>(s, feature, nodes[k], summaries[k], own, rule, scratch[thread])
                .run(bands[k], at, out, tables);
    };
    share_out(n, n_threads, search);
    return out;
}

Contingency Rows::contingency(const Segment &node, const Summary &summary, int32_t feature) const {
    const State &s = *state_;
    const auto nominal =
        std::find_if(s.nominal.begin(), s.nominal.end(),
                     [&](const State::Nominal &candidate) { return candidate.feature == feature; });
    if (nominal == s.nominal.end())
        throw std::invalid_argument("feature " + std::to_string(feature) + " is not nominal");
    const auto lines = static_cast<size_t>(s.n_categories[static_cast<size_t>(feature)]) + 1;
    const size_t width = s.has_classes() ? static_cast<size_t>(s.n_classes) : 3;
    Contingency answer{std::vector<double>(lines * width, 0.0), std::vector<int64_t>(lines, 0)};
    for (auto i = static_cast<size_t>(node.start); i < static_cast<size_t>(node.start + node.size); ++i) {
        const auto line = static_cast<size_t>(std::max(nominal->codes[i], -1) + 1);
        const double w = s.weights.empty() ? 1.0 : s.weights[i];
        ++answer.counts[line];
        double *const cells = answer.table.data() + line * width;
        if (s.has_classes()) {
            cells[s.classes[i]] += w;
        } else {
            const double deviation = (s.numbers[i] - summary.centre) / summary.scale;
            cells[0] += w;
            cells[1] += w * deviation;
            cells[2] += w * deviation * deviation;
        }
    }
    return answer;
}

} // namespace deciduous
