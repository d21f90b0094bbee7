// Training rows in Python: searched and divided batch by batch, or grown on whole.
#include "arrays.hpp"
#include "growth.hpp"
#include "row_checks.hpp"
#include "rows.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <tuple>
#include <type_traits>
#include <utility>

namespace {

nb::tuple give_summaries(deciduous::Summaries &&s) {
    return nb::make_tuple(give(std::move(s.rows)), give(std::move(s.weight)), give(std::move(s.pure)),
                          give(std::move(s.classes)), give(std::move(s.value)), give(std::move(s.impurity)),
                          give(std::move(s.centre)), give(std::move(s.scale)));
}

nb::tuple give_descriptions(const std::vector<deciduous::Description> &descriptions, bool tables) {
    std::vector<double> threshold, low, high, weights, lines, missing;
    std::vector<std::int32_t> category_branch;
    std::vector<std::int64_t> branch_start{0}, category_start{0}, tried, values, missing_rows;
    for (const deciduous::Description &d : descriptions) {
        threshold.push_back(d.threshold());
        low.push_back(d.low);
        high.push_back(d.high);
        weights.insert(weights.end(), d.weights.begin(), d.weights.end());
        branch_start.push_back(static_cast<std::int64_t>(weights.size()));
        category_branch.insert(category_branch.end(), d.category_branch.begin(), d.category_branch.end());
        category_start.push_back(static_cast<std::int64_t>(category_branch.size()));
        tried.push_back(d.tried);
        values.push_back(d.values);
        missing_rows.push_back(d.missing_rows);
        lines.insert(lines.end(), d.lines.begin(), d.lines.end());
        missing.insert(missing.end(), d.missing.begin(), d.missing.end());
    }
    const nb::tuple splits =
        nb::make_tuple(give(std::move(threshold)), give(std::move(low)), give(std::move(high)),
                       give(std::move(branch_start)), give(std::move(weights)),
                       give(std::move(category_start)), give(std::move(category_branch)));
    if (!tables)
        return splits;
    return nb::tuple(splits + nb::make_tuple(give(std::move(tried)), give(std::move(values)),
                                             give(std::move(missing_rows)), give(std::move(lines)),
                                             give(std::move(missing))));
}

/// Gains, split information, kinds, branches of the missing rows, and whether no heuristic looked for the
/// splits.
nb::tuple give_found(const std::vector<deciduous::Found> &splits) {
    const auto all = [&](auto member) {
        std::vector<std::decay_t<decltype(splits[0].*member)>> values;
        values.reserve(splits.size());
        for (const deciduous::Found &found : splits)
            values.push_back(found.*member);
        return values;
    };
    std::vector<std::uint8_t> kinds, exact;
    for (const deciduous::Found &found : splits) {
        kinds.push_back(static_cast<std::uint8_t>(found.kind));
        exact.push_back(found.exact);
    }
    return nb::make_tuple(give(all(&deciduous::Found::gain)), give(all(&deciduous::Found::information)),
                          give(std::move(kinds)), give(all(&deciduous::Found::missing_branch)),
                          give(std::move(exact)), give(all(&deciduous::Found::tried)));
}

/// What a search with tables found, independent of the rows.
class Findings {
public:
    explicit Findings(std::vector<deciduous::Description> descriptions)
        : descriptions_(std::move(descriptions)) {}
    nb::tuple arrays() const { return give_descriptions(descriptions_, true); }
    std::size_t n_cells() const {
        std::size_t cells = 0;
        for (const deciduous::Description &d : descriptions_)
            cells += d.lines.size();
        return cells;
    }

private:
    std::vector<deciduous::Description> descriptions_;
};

/// The members of `deciduous::Conventions`, in order.
using ConventionsOf = std::tuple<bool, double, double, bool, bool, bool, double, double>;

deciduous::Conventions conventions_of(const ConventionsOf &members) {
    return std::apply([](auto... each) { return deciduous::Conventions{each...}; }, members);
}

/// The members of `deciduous::Contest`, in order, but for the last.
using ContestOf =
    std::tuple<bool, bool, bool, bool, bool, double, double, double, double, double, double, double, double>;

/// Training rows, with the arrays that they borrow.
class TrainingRows {
public:
    TrainingRows(const nb::sequence &columns, const Array<std::int32_t> &n_categories,
                 const std::optional<Array<std::int32_t>> &classes,
                 const std::optional<Array<double>> &numbers, const std::optional<Array<double>> &weights,
                 std::int32_t n_classes, const Array<std::int64_t> &rows, std::size_t n_total,
                 std::size_t n_threads, std::size_t max_bins, std::uint8_t about, bool in_parts)
        : columns_(read_columns(columns, n_total)), in_parts_(in_parts) {
        if (classes.has_value() == numbers.has_value())
            throw std::invalid_argument("give either classes or numbers");
        if (about > 2)
            throw std::invalid_argument("numbers are taken about the mean (0), the median (1) or zero (2)");
        deciduous::Rows::Target target;
        target.n_classes = n_classes;
        target.about = classes ? deciduous::About::mean : static_cast<deciduous::About>(about);
        about_median_ = target.about == deciduous::About::median;
        n_classes_ = classes ? static_cast<std::size_t>(n_classes) : 0;
        if (classes)
            target.classes = view(*classes, "classes", n_total);
        if (numbers)
            target.numbers = view(*numbers, "numbers", n_total);
        if (weights)
            target.weights = view(*weights, "weights", n_total);
        const std::span<const std::int64_t> taking_part = view(rows, "rows", rows.size());
        check_rows(taking_part, target, n_total);
        const auto categories = view(n_categories, "n_categories", columns_.views.size());
        check_codes(columns_.views, categories, n_total);
        std::vector<std::int32_t> n(categories.begin(), categories.end());
        nb::gil_scoped_release release;
        rows_ = std::make_unique<deciduous::Rows>(columns_.views, std::move(n), target, taking_part, max_bins,
                                                  in_parts, n_threads, poll_signals);
    }

    nb::tuple root() { return give_summaries(rows_->root()); }

    nb::tuple divide(const Array<std::int64_t> &starts, const Array<std::int64_t> &sizes,
                     const Array<std::int32_t> &features, const Array<std::uint8_t> &kinds,
                     const Array<double> &thresholds, const Array<std::int32_t> &n_branches,
                     const Array<std::int32_t> &missing_branch, const Array<std::int64_t> &category_start,
                     const Array<std::int32_t> &category_branch, const Array<double> &shares,
                     std::int64_t block) {
        rows_->take_back(block);
        const auto nodes = segments(starts, sizes);
        const std::size_t n = nodes.size();
        const auto feature = view(features, "features", n);
        const auto kind = view(kinds, "kinds", n);
        const auto threshold = view(thresholds, "thresholds", n);
        const auto branches = view(n_branches, "n_branches", n);
        const auto missing = view(missing_branch, "missing_branch", n);
        const auto start = view(category_start, "category_start", n + 1);
        const auto codes = view(category_branch, "category_branch", category_branch.size());
        const auto share = view(shares, "shares", in_parts_ ? shares.size() : 0);
        std::vector<deciduous::Question> questions(n);
        std::size_t first_share = 0;
        for (std::size_t k = 0; k < n; ++k) {
            check_question(columns_.views, feature[k], kind[k], branches[k], missing[k]);
            const auto first = static_cast<std::size_t>(start[k]),
                       end = static_cast<std::size_t>(start[k + 1]);
            if (start[k] < 0 || first > end || end > codes.size())
                throw std::invalid_argument("category_start must rise within category_branch");
            for (const std::int32_t branch : codes.subspan(first, end - first))
                if (branch < -1 || branch >= branches[k])
                    throw std::invalid_argument("category_branch names a branch that is not there");
            questions[k] = {feature[k],
                            static_cast<deciduous::SplitKind>(kind[k]),
                            threshold[k],
                            branches[k],
                            missing[k],
                            codes.subspan(first, end - first),
                            {}};
            if (in_parts_) {
                questions[k].missing_branch = -1;
                questions[k].shares = checked_shares(share, first_share, branches[k]);
                first_share += static_cast<std::size_t>(branches[k]);
            }
        }
        deciduous::Summaries summaries;
        {
            nb::gil_scoped_release release;
            summaries = rows_->divide(nodes, questions);
        }
        n_divided_ = summaries.rows.size();
        nodes_.clear();
        return give_summaries(std::move(summaries));
    }

    nb::tuple keep(const Array<std::uint8_t> &kept) {
        const auto flags = view(kept, "kept", n_divided_);
        std::vector<deciduous::Segment> segments;
        {
            nb::gil_scoped_release release;
            segments = rows_->keep(flags);
        }
        std::vector<std::int64_t> starts, sizes;
        for (const deciduous::Segment &segment : segments) {
            starts.push_back(segment.start);
            sizes.push_back(segment.size);
        }
        return nb::make_tuple(give(std::move(starts)), give(std::move(sizes)));
    }

    std::int64_t block() const { return rows_->block(); }
    void let_go(std::int64_t block, std::int64_t n_nodes) { rows_->let_go(block, n_nodes); }

    /// The best splits of a batch of nodes, which stay to be described.
    nb::tuple best_splits(const Array<std::int64_t> &starts, const Array<std::int64_t> &sizes,
                          const Array<double> &weight, const Array<double> &centre,
                          const Array<double> &scale, const Array<double> &band, const Array<double> &classes,
                          std::uint8_t measure, std::uint8_t missing, std::uint8_t nominal,
                          std::int64_t min_rows, double min_weight, double min_cases, double slack,
                          const ConventionsOf &conventions, bool tables, bool random, std::int64_t looks,
                          bool ratio, const Array<std::int8_t> &signs, const Array<std::uint64_t> &key,
                          const Array<double> &low, const Array<double> &high) {
        check_rule(measure, missing, nominal);
        nodes_ = segments(starts, sizes);
        const std::size_t n = nodes_.size();
        const auto w = view(weight, "weight", n), c = view(centre, "centre", n), s = view(scale, "scale", n),
                   b = view(band, "band", n), k = view(classes, "classes", n * n_classes_);
        weight_.assign(w.begin(), w.end());
        centre_.assign(c.begin(), c.end());
        scale_.assign(s.begin(), s.end());
        band_.assign(b.begin(), b.end());
        classes_.assign(k.begin(), k.end());
        const auto sign = view(signs, "signs", signs.size() ? columns_.views.size() : 0);
        signs_.assign(sign.begin(), sign.end());
        const auto keys = view(key, "key", random || looks > 0 ? n : 0);
        key_.assign(keys.begin(), keys.end());
        const auto lows = view(low, "low", signs_.empty() ? 0 : n), highs = view(high, "high", lows.size());
        low_.assign(lows.begin(), lows.end());
        high_.assign(highs.begin(), highs.end());
        rule_ = {static_cast<deciduous::Measure>(measure),
                 static_cast<deciduous::MissingPolicy>(missing),
                 min_rows,
                 min_weight,
                 min_cases,
                 slack,
                 static_cast<deciduous::Nominal>(nominal),
                 random,
                 looks,
                 signs_,
                 ratio,
                 conventions_of(conventions)};
        {
            nb::gil_scoped_release release;
            found_ = rows_->best_splits(batch(), rule_, tables);
        }
        return give_found(found_);
    }

    /// Thresholds, their neighbouring values, weights of the branches and branches of the categories of some
    /// of the splits.
    nb::tuple describe(const Array<std::int64_t> &node, const Array<std::int64_t> &column) {
        const std::size_t n = node.size(), n_columns = rows_->n_asked();
        const auto nodes = view(node, "node", n), columns = view(column, "column", n);
        std::vector<std::pair<std::size_t, std::size_t>> chosen;
        for (std::size_t i = 0; i < n; ++i) {
            chosen.emplace_back(static_cast<std::size_t>(nodes[i]), static_cast<std::size_t>(columns[i]));
            if (chosen[i].first >= nodes_.size() || chosen[i].second >= n_columns)
                throw std::invalid_argument("a split of a node or a column that is not there");
        }
        std::vector<deciduous::Description> descriptions;
        {
            nb::gil_scoped_release release;
            descriptions = rows_->describe(batch(), rule_, chosen, found_);
        }
        return give_descriptions(descriptions, false);
    }

    /// A whole tree, level by level: what is known of the nodes, the splits, and the record of the searches.
    nb::tuple grow(std::uint8_t measure, std::uint8_t missing, std::uint8_t nominal, std::int64_t min_rows,
                   double min_weight_fraction, double min_cases, double tie, const ConventionsOf &conventions,
                   const std::optional<ContestOf> &contest, const Array<std::uint8_t> &counts,
                   const std::vector<Array<double>> &training_values, std::int64_t max_depth,
                   std::int64_t min_samples_split, double min_impurity_decrease, double min_gain,
                   bool zero_gain, std::int64_t recorded_nodes, std::int64_t recorded_cells) {
        check_rule(measure, missing, nominal);
        const std::size_t n_columns = rows_->n_asked();
        if (!training_values.empty() && training_values.size() != n_columns)
            throw std::invalid_argument("training_values must have an array a column");
        if (in_parts_ && n_classes_ == 0)
            throw std::invalid_argument("whole trees of rows in parts are grown for classes only");
        const deciduous::Rule rule{.measure = static_cast<deciduous::Measure>(measure),
                                   .missing = static_cast<deciduous::MissingPolicy>(missing),
                                   .min_rows = min_rows,
                                   .min_cases = min_cases,
                                   .slack = tie,
                                   .nominal = static_cast<deciduous::Nominal>(nominal),
                                   .signs = {},
                                   .conventions = conventions_of(conventions)};
        deciduous::Growth growth{.max_depth = max_depth,
                                 .min_samples_split = min_samples_split,
                                 .min_weight_fraction = min_weight_fraction,
                                 .min_impurity_decrease = min_impurity_decrease,
                                 .min_gain = min_gain,
                                 .zero_gain = zero_gain,
                                 .tie = tie,
                                 .contest = {},
                                 .training_values = {},
                                 .recorded_nodes = recorded_nodes,
                                 .recorded_cells = recorded_cells};
        if (contest) {
            growth.contest =
                std::apply([](auto... each) { return deciduous::Contest{each..., {}}; }, *contest);
            const auto enters = view(counts, "counts", n_columns);
            growth.contest->counts.assign(enters.begin(), enters.end());
        }
        for (const Array<double> &values : training_values)
            growth.training_values.emplace_back(values.data(), values.size());
        deciduous::GrownTree tree;
        {
            nb::gil_scoped_release release;
            tree = rows_->grow(rule, growth);
        }
        const nb::tuple nodes = nb::make_tuple(
            give(std::move(tree.rows)), give(std::move(tree.parent)), give(std::move(tree.weight)),
            give(std::move(tree.classes)), give(std::move(tree.value)), give(std::move(tree.impurity)),
            give(std::move(tree.centre)), give(std::move(tree.scale)), give(std::move(tree.reason)));
        const nb::tuple splits = nb::make_tuple(
            give(std::move(tree.first_child)), give(std::move(tree.column)), give(std::move(tree.kind)),
            give(std::move(tree.exact)), give(std::move(tree.gain)), give(std::move(tree.threshold)),
            give(std::move(tree.missing_branch)), give(std::move(tree.branch_start)),
            give(std::move(tree.branch_weight)), give(std::move(tree.category_start)),
            give(std::move(tree.category_branch)));
        if (!tree.recorded)
            return nb::make_tuple(nodes, splits, nb::none());
        return nb::make_tuple(nodes, splits,
                              nb::make_tuple(give(std::move(tree.searched)), give_found(tree.found),
                                             Findings(std::move(tree.descriptions))));
    }

    /// All splits of a search with tables, kept as they are until they are asked for.
    Findings findings() { return Findings(rows_->take_descriptions()); }

private:
    void check_rule(std::uint8_t measure, std::uint8_t missing, std::uint8_t nominal) const {
        if (measure > 5 || missing > 2 || nominal > 2)
            throw std::invalid_argument("no such measure, policy or kind of split");
        const bool median = static_cast<deciduous::Measure>(measure) == deciduous::Measure::absolute_error;
        if ((measure <= 2) != (n_classes_ > 0) || median != about_median_)
            throw std::invalid_argument("the measure is not one for this target");
    }

    deciduous::Batch batch() const {
        return {nodes_, weight_, centre_, scale_, band_, classes_, key_, low_, high_};
    }

    deciduous::Segment checked(std::int64_t start, std::int64_t size) const {
        if (start < 0 || size < 0 || start + size > static_cast<std::int64_t>(rows_->n_positions()))
            throw std::invalid_argument("a segment lies outside the rows");
        return {start, size};
    }

    std::vector<deciduous::Segment> segments(const Array<std::int64_t> &starts,
                                             const Array<std::int64_t> &sizes) const {
        const auto size = view(sizes, "sizes", starts.size());
        const auto start = view(starts, "starts", starts.size());
        std::vector<deciduous::Segment> found;
        for (std::size_t k = 0; k < start.size(); ++k)
            found.push_back(checked(start[k], size[k]));
        return found;
    }

    Columns columns_;
    std::unique_ptr<deciduous::Rows> rows_;
    std::size_t n_classes_ = 0, n_divided_ = 0;
    bool about_median_ = false, in_parts_ = false;
    // The batch that was last searched.
    std::vector<deciduous::Segment> nodes_;
    std::vector<double> weight_, centre_, scale_, band_, classes_, low_, high_;
    std::vector<std::uint64_t> key_;
    std::vector<std::int8_t> signs_; // by column of the table
    deciduous::Rule rule_;
    std::vector<deciduous::Found> found_;
};

} // namespace

void bind_rows(nb::module_ &m) {
    nb::class_<Findings>(m, "Findings")
        .def("arrays", &Findings::arrays)
        .def_prop_ro("n_cells", &Findings::n_cells);
    nb::class_<TrainingRows>(m, "TrainingRows")
        .def(nb::init<const nb::sequence &, const Array<std::int32_t> &,
                      const std::optional<Array<std::int32_t>> &, const std::optional<Array<double>> &,
                      const std::optional<Array<double>> &, std::int32_t, const Array<std::int64_t> &,
                      std::size_t, std::size_t, std::size_t, std::uint8_t, bool>(),
             "columns"_a, "n_categories"_a.noconvert(), "classes"_a.none(), "numbers"_a.none(),
             "weights"_a.none(), "n_classes"_a, "rows"_a.noconvert(), "n_total"_a, "n_threads"_a,
             "max_bins"_a = 0, "about"_a = 0, "in_parts"_a = false)
        .def("root", &TrainingRows::root)
        .def("divide", &TrainingRows::divide)
        .def("keep", &TrainingRows::keep)
        .def_prop_ro("block", &TrainingRows::block)
        .def("let_go", &TrainingRows::let_go)
        .def("best_splits", &TrainingRows::best_splits)
        .def("describe", &TrainingRows::describe)
        .def("findings", &TrainingRows::findings)
        .def("grow", &TrainingRows::grow);
}
