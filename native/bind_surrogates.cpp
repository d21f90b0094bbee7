// The Python side of growing under missing="surrogates": checks what it is given, then forwards.
#include "arrays.hpp"
#include "surrogate_growth.hpp"

#include <nanobind/stl/optional.h>

#include <algorithm>
#include <optional>

namespace {

using deciduous::FirstSplit;
using deciduous::GrownNode;
using deciduous::SplitKind;
using deciduous::SurrogateNode;

/// The table, with the arrays of its columns.
class SurrogateTable {
public:
    SurrogateTable(const nb::sequence &columns, const Array<std::int32_t> &n_categories,
                   const std::optional<Array<std::int32_t>> &classes,
                   const std::optional<Array<double>> &numbers, const Array<double> &weight,
                   const Array<double> &row_weight, const Array<std::int64_t> &rows, std::size_t n_total,
                   std::size_t n_classes, std::size_t n_threads) {
        if (classes.has_value() == numbers.has_value() || classes.has_value() != (n_classes > 0))
            throw std::invalid_argument("give either classes, and how many there are, or numbers");
        if (n_total > deciduous::OrderedRow::most_rows)
            throw std::invalid_argument("the table has " + std::to_string(n_total) + " rows; at most " +
                                        std::to_string(deciduous::OrderedRow::most_rows) + " are possible");
        cells = read_columns(columns, n_total);
        deciduous::SurrogateTarget target;
        const auto copy = [&](auto &to, auto from) { to.assign(from.begin(), from.end()); };
        if (classes)
            copy(target.classes, view(*classes, "classes", n_total));
        else
            copy(target.numbers, view(*numbers, "numbers", n_total));
        target.n_classes = n_classes;
        const auto categories = view(n_categories, "n_categories", cells.views.size());
        for (std::size_t c = 0; c < categories.size(); ++c)
            if (categories[c] > 0 && cells.views[c].type == deciduous::CellType::number)
                refuse_column(c, "has categories, but no codes");
        std::int64_t next = 0;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const std::int64_t row = rows.data()[i];
            if (row < next || static_cast<std::size_t>(row) >= n_total)
                throw std::invalid_argument("rows must lie in the table, and increase");
            next = row + 1;
            const auto at = static_cast<std::size_t>(row);
            if (classes &&
                (target.classes[at] < 0 || static_cast<std::size_t>(target.classes[at]) >= n_classes))
                throw std::invalid_argument("there are more classes than n_classes");
        }
        const auto own = std::span(rows.data(), rows.size());
        for (const auto &[to, from] :
             {std::pair(&target.weight, view(weight, "weight", n_total)),
              std::pair(&target.row_weight, view(row_weight, "row_weight", n_total))})
            if (std::any_of(own.begin(), own.end(),
                            [&](std::int64_t row) { return from[static_cast<std::size_t>(row)] != 1.0; }))
                copy(*to, from);
        nb::gil_scoped_release release;
        table = std::make_shared<const deciduous::SurrogateTable>(cells.views, categories, std::move(target),
                                                                  n_total, own, n_threads, poll_signals);
        takes_part.resize(n_total);
        for (std::size_t i = 0; i < rows.size(); ++i)
            takes_part[static_cast<std::size_t>(rows.data()[i])] = true;
    }

    Columns cells; // which the table looks at
    std::shared_ptr<const deciduous::SurrogateTable> table;
    std::vector<bool> takes_part;
};

/// What was found in (node, column), as arrays; `_Described` in grow/native_surrogate_rows.py.
class Described {
public:
    void add(const FirstSplit &f) {
        improvement_.push_back(f.improvement);
        threshold_.push_back(f.threshold);
        kind_.push_back(static_cast<std::uint8_t>(f.kind));
        constant_.push_back(f.constant);
        exact_.push_back(f.exact);
        known_.push_back(f.known);
        tried_.push_back(f.tried);
        category_branch_.insert(category_branch_.end(), f.category_branch.begin(), f.category_branch.end());
        category_start_.push_back(static_cast<std::int64_t>(category_branch_.size()));
        sums_.insert(sums_.end(), f.sums.begin(), f.sums.end());
        sum_start_.push_back(static_cast<std::int64_t>(sums_.size()));
    }

    nb::tuple give_all() {
        return nb::make_tuple(give(std::move(improvement_)), give(std::move(kind_)),
                              give(std::move(threshold_)), give(std::move(known_)), give(std::move(tried_)),
                              give(std::move(constant_)), give(std::move(exact_)),
                              give(std::move(category_start_)), give(std::move(category_branch_)),
                              give(std::move(sum_start_)), give(std::move(sums_)));
    }

private:
    std::vector<double> improvement_, threshold_, sums_;
    std::vector<std::uint8_t> kind_, constant_, exact_;
    std::vector<std::int64_t> known_, tried_, category_start_{0}, sum_start_{0};
    std::vector<std::int32_t> category_branch_;
};

/// The surrogates of nodes, as the arrays of `Surrogates` in model/surrogates.py.
class SurrogateArrays {
public:
    void add(const deciduous::SurrogatesOfNode &node) {
        left_.push_back(static_cast<std::int8_t>(node.left));
        blind_.push_back(static_cast<std::int8_t>(node.blind));
        for (const deciduous::SurrogateSplit &s : node.several) {
            const bool is_threshold = s.kind == SplitKind::threshold;
            feature_.push_back(s.feature);
            kind_.push_back(static_cast<std::uint8_t>(s.kind));
            threshold_.push_back(is_threshold ? s.threshold : std::nan(""));
            below_.push_back(is_threshold ? s.below : std::int8_t{0});
            category_branch_.insert(category_branch_.end(), s.category_branch.begin(),
                                    s.category_branch.end());
            category_start_.push_back(static_cast<std::int64_t>(category_branch_.size()));
            agreement_.push_back(s.agreement);
            adjusted_.push_back(s.adjusted);
            rows_.push_back(s.rows);
        }
        start_.push_back(static_cast<std::int64_t>(feature_.size()));
    }

    nb::tuple give_all() {
        return nb::make_tuple(give(std::move(left_)), give(std::move(blind_)), give(std::move(start_)),
                              give(std::move(feature_)), give(std::move(kind_)), give(std::move(threshold_)),
                              give(std::move(below_)), give(std::move(category_start_)),
                              give(std::move(category_branch_)), give(std::move(agreement_)),
                              give(std::move(adjusted_)), give(std::move(rows_)));
    }

private:
    std::vector<std::int8_t> left_, blind_, below_;
    std::vector<std::int64_t> start_{0}, category_start_{0}, rows_;
    std::vector<std::int32_t> feature_, category_branch_;
    std::vector<std::uint8_t> kind_;
    std::vector<double> threshold_, agreement_, adjusted_;
};

/// A whole tree as arrays: of its nodes, of its splits, of their surrogates, and of what was found.
nb::tuple give_tree(const std::vector<GrownNode> &tree) {
    std::vector<std::int64_t> rows, parent, first_child, searched, column;
    std::vector<double> weight, classes, value, impurity, centre, scale, risk, complexity, best_score;
    std::vector<std::uint8_t> reason, pure;
    Described splits, found;
    SurrogateArrays surrogates;
    for (const GrownNode &node : tree) {
        const deciduous::NodeOfRows &own = node.own;
        rows.push_back(static_cast<std::int64_t>(own.rows.size));
        parent.push_back(node.parent);
        weight.push_back(own.weight);
        classes.insert(classes.end(), own.classes.begin(), own.classes.end());
        value.push_back(own.value);
        impurity.push_back(own.impurity);
        centre.push_back(own.rows.centre);
        scale.push_back(own.rows.scale);
        pure.push_back(own.pure);
        risk.push_back(own.rows.risk);
        complexity.push_back(node.complexity);
        best_score.push_back(node.best_score);
        reason.push_back(static_cast<std::uint8_t>(node.reason));
        if (!node.found.empty()) {
            searched.push_back(std::ssize(rows) - 1);
            std::for_each(node.found.begin(), node.found.end(), [&](const auto &f) { found.add(f); });
        }
        if (node.column < 0)
            continue;
        first_child.push_back(node.first_child);
        column.push_back(node.column);
        splits.add(node.split);
        surrogates.add(node.surrogates);
    }
    const auto nodes = nb::make_tuple(
        give(std::move(rows)), give(std::move(parent)), give(std::move(weight)), give(std::move(classes)),
        give(std::move(value)), give(std::move(impurity)), give(std::move(centre)), give(std::move(scale)),
        give(std::move(pure)), give(std::move(risk)), give(std::move(complexity)),
        give(std::move(best_score)), give(std::move(reason)));
    return nb::make_tuple(nodes, give(std::move(first_child)), give(std::move(column)), splits.give_all(),
                          surrogates.give_all(), give(std::move(searched)), found.give_all());
}

/// Some of the rows of a table.
class SurrogateRows {
public:
    SurrogateRows(const SurrogateTable &table, const Array<double> &factor, const Array<double> &places,
                  std::uint8_t rating, const Array<std::int64_t> &rows, std::size_t n_threads) {
        deciduous::Rater rater;
        rater.rating = static_cast<deciduous::Rating>(rating);
        if (rating > static_cast<std::uint8_t>(deciduous::Rating::rates) ||
            rater.of_classes() != table.table->target.has_classes())
            throw std::invalid_argument("there is no such rating of this target");
        const std::size_t n_classes = rater.of_classes() ? table.table->target.n_classes : factor.size();
        const auto factors = view(factor, "factor", n_classes), where = view(places, "places", n_classes);
        rater.factor.assign(factors.begin(), factors.end());
        rater.places.assign(where.begin(), where.end());
        std::int64_t next = 0;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const std::int64_t row = rows.data()[i];
            if (row < next || static_cast<std::size_t>(row) >= table.takes_part.size() ||
                !table.takes_part[static_cast<std::size_t>(row)])
                throw std::invalid_argument("rows must be some of the table's, and increase");
            next = row + 1;
        }
        nb::gil_scoped_release release;
        rows_ = std::make_unique<deciduous::SurrogateRows>(
            table.table, std::move(rater), std::span(rows.data(), rows.size()), n_threads, poll_signals);
    }

    nb::tuple best_splits(const Array<std::int64_t> &start, const Array<std::int64_t> &size,
                          const Array<double> &risk, const Array<double> &centre, const Array<double> &scale,
                          std::int64_t least) {
        std::vector<SurrogateNode> nodes = read_nodes(start, size);
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            nodes[i].risk = view(risk, "risk", nodes.size())[i];
            nodes[i].centre = view(centre, "centre", nodes.size())[i];
            nodes[i].scale = view(scale, "scale", nodes.size())[i];
        }
        Described described;
        {
            nb::gil_scoped_release release;
            std::vector<FirstSplit> found;
            const std::vector<double> costs(rows_->n_asked(), 1.0); // which only say what need not be found
            rows_->best_splits(nodes, {least, costs}, rows_->crew(), found);
            for (const FirstSplit &split : found)
                described.add(split);
        }
        return described.give_all();
    }

    nb::tuple surrogates(const Array<std::int64_t> &start, const Array<std::int64_t> &size,
                         const Array<std::int32_t> &feature, const Array<std::uint8_t> &kind,
                         const Array<double> &threshold, const Array<std::int64_t> &category_start,
                         const Array<std::int32_t> &category_branch, std::size_t most, int style, int use) {
        const std::vector<SurrogateNode> nodes = read_nodes(start, size);
        const std::size_t n = nodes.size();
        const auto starts = view(category_start, "category_start", n + 1);
        std::vector<deciduous::TwoWay> questions(n);
        for (std::size_t i = 0; i < n; ++i) {
            const auto from = static_cast<std::size_t>(starts[i]),
                       to = static_cast<std::size_t>(starts[i + 1]);
            if (from > to || to > category_branch.size())
                throw std::invalid_argument("category_start leaves category_branch");
            questions[i] = {view(feature, "feature", n)[i],
                            static_cast<SplitKind>(view(kind, "kind", n)[i]),
                            view(threshold, "threshold", n)[i],
                            {category_branch.data() + from, to - from}};
        }
        SurrogateArrays arrays;
        {
            nb::gil_scoped_release release;
            for (const deciduous::SurrogatesOfNode &node :
                 rows_->surrogates(nodes, questions, {most, style, use}, rows_->crew()))
                arrays.add(node);
        }
        return arrays.give_all();
    }

    /// The sizes of the branches, and their rows one branch behind the other.
    nb::tuple divide(const Array<std::int64_t> &start, const Array<std::int64_t> &size) {
        const std::vector<SurrogateNode> nodes = read_nodes(start, size);
        std::vector<std::int64_t> sizes, rows;
        {
            nb::gil_scoped_release release;
            deciduous::SurrogateMemory memory;
            std::size_t n_cells = 0;
            for (const SurrogateNode &node : nodes) {
                const auto [first, second] = rows_->divide_rows(node, memory);
                const auto here = rows_->rows_of(node.start, first + second);
                rows.insert(rows.end(), here.begin(), here.end());
                sizes.push_back(static_cast<std::int64_t>(first));
                sizes.push_back(static_cast<std::int64_t>(second));
                n_cells += node.size * rows_->n_asked();
            }
            const std::size_t n = rows_->n_divisions();
            rows_->crew().each(nodes.size() * n, n_cells,
                               [&](std::size_t task, deciduous::SurrogateMemory &own) {
                                   rows_->divide_columns(task % n, nodes[task / n], own);
                               });
        }
        return nb::make_tuple(give(std::move(sizes)), give(std::move(rows)));
    }

    /// The whole tree; `class_factor`: prior / share of each class; `alpha`: None for the share `cp`.
    nb::tuple grow(const Array<double> &class_factor, const Array<double> &loss, double shrink,
                   const Array<double> &costs, std::int64_t max_depth, std::int64_t min_samples_split,
                   std::int64_t min_samples_leaf, double cp, std::optional<double> alpha, double tie,
                   std::size_t most, int style, int use, std::int64_t recorded_nodes) {
        const deciduous::Rater &rater = rows_->rater();
        const std::size_t n = rater.of_classes() ? rater.factor.size() : 0;
        deciduous::Costing costing;
        costing.shrink = shrink;
        if (n > 0) {
            const auto factors = view(class_factor, "class_factor", n), losses = view(loss, "loss", n * n);
            costing.factor.assign(factors.begin(), factors.end());
            costing.loss.assign(losses.begin(), losses.end());
        }
        deciduous::SurrogateGrowth growth;
        growth.max_depth = max_depth;
        growth.min_samples_split = min_samples_split;
        growth.min_samples_leaf = min_samples_leaf;
        growth.cp = cp;
        growth.alpha = alpha.value_or(-1.0);
        growth.tie = tie;
        const auto all_costs = view(costs, "costs", rows_->n_asked());
        growth.costs.assign(all_costs.begin(), all_costs.end());
        growth.ask = {most, style, use};
        growth.recorded_nodes = recorded_nodes;
        std::vector<GrownNode> tree;
        {
            nb::gil_scoped_release release;
            tree = deciduous::grow(*rows_, costing, growth);
        }
        return give_tree(tree);
    }

private:
    std::vector<SurrogateNode> read_nodes(const Array<std::int64_t> &start,
                                          const Array<std::int64_t> &size) const {
        std::vector<SurrogateNode> nodes(start.size());
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            const std::int64_t from = start.data()[i], n = view(size, "size", nodes.size())[i];
            if (from < 0 || n < 0 || static_cast<std::size_t>(from + n) > rows_->n_rows())
                throw std::invalid_argument("a node lies outside the rows");
            nodes[i].start = static_cast<std::size_t>(from);
            nodes[i].size = static_cast<std::size_t>(n);
        }
        return nodes;
    }

    std::unique_ptr<deciduous::SurrogateRows> rows_;
};

} // namespace

void bind_surrogates(nb::module_ &m) {
    nb::class_<SurrogateTable>(m, "SurrogateTable")
        .def(nb::init<const nb::sequence &, const Array<std::int32_t> &,
                      const std::optional<Array<std::int32_t>> &, const std::optional<Array<double>> &,
                      const Array<double> &, const Array<double> &, const Array<std::int64_t> &, std::size_t,
                      std::size_t, std::size_t>(),
             "columns"_a, "n_categories"_a.noconvert(), "classes"_a.none(), "numbers"_a.none(),
             "weight"_a.noconvert(), "row_weight"_a.noconvert(), "rows"_a.noconvert(), "n_total"_a,
             "n_classes"_a, "n_threads"_a);
    nb::class_<SurrogateRows>(m, "SurrogateRows")
        .def(nb::init<const SurrogateTable &, const Array<double> &, const Array<double> &, std::uint8_t,
                      const Array<std::int64_t> &, std::size_t>(),
             nb::keep_alive<1, 2>(), "table"_a, "factor"_a.noconvert(), "places"_a.noconvert(), "rating"_a,
             "rows"_a.noconvert(), "n_threads"_a)
        .def("best_splits", &SurrogateRows::best_splits)
        .def("surrogates", &SurrogateRows::surrogates)
        .def("divide", &SurrogateRows::divide)
        .def("grow", &SurrogateRows::grow, "class_factor"_a, "loss"_a, "shrink"_a, "costs"_a, "max_depth"_a,
             "min_samples_split"_a, "min_samples_leaf"_a, "cp"_a, "alpha"_a.none(), "tie"_a, "most"_a,
             "style"_a, "use"_a, "recorded_nodes"_a);
    bind_surrogate_route(m);
}
