// The Python side of missing="surrogates": checks what it is given, then forwards.
#include "arrays.hpp"
#include "surrogate_route.hpp"
#include "surrogate_rows.hpp"

#include <nanobind/stl/optional.h>

#include <optional>

namespace {

nb::tuple route_by_surrogates(const Array<std::int32_t> &first_child, const Array<std::int32_t> &n_branches,
                              const Array<std::int32_t> &feature, const Array<std::uint8_t> &kind,
                              const Array<double> &threshold, const Array<std::int64_t> &category_start,
                              const Array<std::int32_t> &category_branch, const Array<double> &share,
                              bool unseen_as_missing, const Array<std::int64_t> &start,
                              const Array<std::int32_t> &asked, const Array<std::uint8_t> &asked_kind,
                              const Array<double> &asked_threshold, const Array<std::int8_t> &below,
                              const Array<std::int64_t> &asked_start, const Array<std::int32_t> &asked_branch,
                              const nb::sequence &columns, std::int64_t n_rows, std::size_t n_threads) {
    if (n_rows < 0)
        throw std::invalid_argument("n_rows is " + std::to_string(n_rows) + "; it must be 0 or more");
    const std::size_t n = first_child.size(), m = asked.size();
    const deciduous::Tree tree{
        .first_child = view(first_child, "first_child", n),
        .n_branches = view(n_branches, "n_branches", n),
        .feature = view(feature, "feature", n),
        .kind = view(kind, "kind", n),
        .threshold = view(threshold, "threshold", n),
        .category_start = view(category_start, "category_start", n + 1),
        .category_branch = view(category_branch, "category_branch", category_branch.size()),
        .share = view(share, "share", n),
    };
    const deciduous::Surrogates surrogates{
        .start = view(start, "surrogates.start", n + 1),
        .feature = view(asked, "surrogates.feature", m),
        .kind = view(asked_kind, "surrogates.kind", m),
        .threshold = view(asked_threshold, "surrogates.threshold", m),
        .below = view(below, "surrogates.below", m),
        .category_start = view(asked_start, "surrogates.category_start", m + 1),
        .category_branch = view(asked_branch, "surrogates.category_branch", asked_branch.size()),
    };
    const Columns cells = read_columns(columns, static_cast<std::size_t>(n_rows));
    std::vector<std::int32_t> ends;
    bool infinite = false;
    {
        nb::gil_scoped_release release;
        deciduous::check(tree, cells.views);
        deciduous::check(tree, surrogates, cells.views);
        ends =
            deciduous::route(tree, surrogates, unseen_as_missing, cells.views, n_rows, n_threads, infinite);
    }
    return nb::make_tuple(give(std::move(ends)), infinite);
}

/// The rows, and the arrays that they were made from for as long as they are made.
class SurrogateRows {
public:
    SurrogateRows(const nb::sequence &columns, const Array<std::int32_t> &n_categories,
                  const std::optional<Array<std::int32_t>> &classes,
                  const std::optional<Array<double>> &numbers, const Array<double> &weight,
                  const Array<double> &row_weight, const Array<double> &factor, const Array<double> &places,
                  std::uint8_t rating, const Array<std::int64_t> &rows, std::size_t n_total,
                  std::size_t n_threads) {
        if (classes.has_value() == numbers.has_value())
            throw std::invalid_argument("give either classes or numbers");
        if (rating > static_cast<std::uint8_t>(deciduous::Rating::rates))
            throw std::invalid_argument("there is no such rating");
        const Columns cells = read_columns(columns, n_total);
        deciduous::SurrogateRows::Target target;
        if (classes)
            target.classes = view(*classes, "classes", n_total);
        else
            target.numbers = view(*numbers, "numbers", n_total);
        target.weight = view(weight, "weight", n_total);
        target.row_weight = view(row_weight, "row_weight", n_total);
        target.factor = {factor.data(), factor.size()};
        target.places = view(places, "places", factor.size());
        target.rating = static_cast<deciduous::Rating>(rating);
        const auto categories = view(n_categories, "n_categories", cells.views.size());
        for (std::size_t c = 0; c < categories.size(); ++c)
            if (categories[c] > 0 && cells.views[c].type == deciduous::CellType::number)
                refuse_column(c, "has categories, but no codes");
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const std::int64_t row = rows.data()[i];
            if (row < 0 || static_cast<std::size_t>(row) >= n_total)
                throw std::invalid_argument("rows must lie in the table");
            if (classes &&
                (target.classes[static_cast<std::size_t>(row)] < 0 ||
                 static_cast<std::size_t>(target.classes[static_cast<std::size_t>(row)]) >= factor.size()))
                throw std::invalid_argument("classes must have a factor each");
            for (std::size_t c = 0; c < categories.size(); ++c)
                if (categories[c] > 0 && cells.views[c].code(row) >= categories[c])
                    refuse_column(c, "has a code beyond its categories");
        }
        nb::gil_scoped_release release;
        rows_ = std::make_unique<deciduous::SurrogateRows>(
            cells.views, categories, target, std::span(rows.data(), rows.size()), n_threads, poll_signals);
    }

    nb::tuple best_splits(const Array<std::int64_t> &start, const Array<std::int64_t> &size,
                          const Array<double> &risk, const Array<double> &centre, const Array<double> &scale,
                          std::int64_t least) {
        std::vector<deciduous::SurrogateNode> nodes = read_nodes(start, size);
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            nodes[i].risk = view(risk, "risk", nodes.size())[i];
            nodes[i].centre = view(centre, "centre", nodes.size())[i];
            nodes[i].scale = view(scale, "scale", nodes.size())[i];
        }
        std::vector<deciduous::FirstSplit> found;
        {
            nb::gil_scoped_release release;
            found = rows_->best_splits(nodes, least);
        }
        std::vector<double> improvement, threshold, sums;
        std::vector<std::uint8_t> kind, constant, exact;
        std::vector<std::int64_t> known, tried, category_start{0}, sum_start{0};
        std::vector<std::int32_t> category_branch;
        for (const deciduous::FirstSplit &f : found) {
            improvement.push_back(f.improvement);
            threshold.push_back(f.threshold);
            kind.push_back(static_cast<std::uint8_t>(f.kind));
            constant.push_back(f.constant);
            exact.push_back(f.exact);
            known.push_back(f.known);
            tried.push_back(f.tried);
            category_branch.insert(category_branch.end(), f.category_branch.begin(), f.category_branch.end());
            category_start.push_back(static_cast<std::int64_t>(category_branch.size()));
            sums.insert(sums.end(), f.sums.begin(), f.sums.end());
            sum_start.push_back(static_cast<std::int64_t>(sums.size()));
        }
        return nb::make_tuple(give(std::move(improvement)), give(std::move(kind)), give(std::move(threshold)),
                              give(std::move(known)), give(std::move(tried)), give(std::move(constant)),
                              give(std::move(exact)), give(std::move(category_start)),
                              give(std::move(category_branch)), give(std::move(sum_start)),
                              give(std::move(sums)));
    }

    nb::tuple surrogates(const Array<std::int64_t> &start, const Array<std::int64_t> &size,
                         const Array<std::int32_t> &feature, const Array<std::uint8_t> &kind,
                         const Array<double> &threshold, const Array<std::int64_t> &category_start,
                         const Array<std::int32_t> &category_branch, std::size_t most, int style, int use) {
        const std::vector<deciduous::SurrogateNode> nodes = read_nodes(start, size);
        const std::size_t n = nodes.size();
        const auto starts = view(category_start, "category_start", n + 1);
        std::vector<deciduous::TwoWay> questions(n);
        for (std::size_t i = 0; i < n; ++i) {
            const auto from = static_cast<std::size_t>(starts[i]),
                       to = static_cast<std::size_t>(starts[i + 1]);
            if (from > to || to > category_branch.size())
                throw std::invalid_argument("category_start leaves category_branch");
            questions[i] = {view(feature, "feature", n)[i],
                            static_cast<deciduous::SplitKind>(view(kind, "kind", n)[i]),
                            view(threshold, "threshold", n)[i],
                            {category_branch.data() + from, to - from}};
        }
        std::vector<deciduous::SurrogatesOfNode> found;
        {
            nb::gil_scoped_release release;
            found = rows_->surrogates(nodes, questions, {most, style, use});
        }
        std::vector<std::int8_t> left, blind, below;
        std::vector<std::int64_t> begins{0}, category_begins{0}, rows;
        std::vector<std::int32_t> asked, branches;
        std::vector<std::uint8_t> kinds;
        std::vector<double> thresholds, agreement, adjusted;
        for (const deciduous::SurrogatesOfNode &node : found) {
            left.push_back(static_cast<std::int8_t>(node.left));
            blind.push_back(static_cast<std::int8_t>(node.blind));
            for (const deciduous::SurrogateSplit &s : node.several) {
                asked.push_back(s.feature);
                kinds.push_back(static_cast<std::uint8_t>(s.kind));
                thresholds.push_back(s.kind == deciduous::SplitKind::threshold ? s.threshold : std::nan(""));
                below.push_back(s.kind == deciduous::SplitKind::threshold ? s.below : std::int8_t{0});
                branches.insert(branches.end(), s.category_branch.begin(), s.category_branch.end());
                category_begins.push_back(static_cast<std::int64_t>(branches.size()));
                agreement.push_back(s.agreement);
                adjusted.push_back(s.adjusted);
                rows.push_back(s.rows);
            }
            begins.push_back(static_cast<std::int64_t>(asked.size()));
        }
        return nb::make_tuple(give(std::move(left)), give(std::move(blind)), give(std::move(begins)),
                              give(std::move(asked)), give(std::move(kinds)), give(std::move(thresholds)),
                              give(std::move(below)), give(std::move(category_begins)),
                              give(std::move(branches)), give(std::move(agreement)),
                              give(std::move(adjusted)), give(std::move(rows)));
    }

    /// The sizes of the branches, and their rows one branch behind the other.
    nb::tuple divide(const Array<std::int64_t> &start, const Array<std::int64_t> &size) {
        const std::vector<deciduous::SurrogateNode> nodes = read_nodes(start, size);
        std::vector<std::int64_t> sizes, rows;
        {
            nb::gil_scoped_release release;
            const std::vector<std::size_t> found = rows_->divide(nodes);
            for (std::size_t i = 0; i < nodes.size(); ++i) {
                const std::size_t both = found[2 * i] + found[2 * i + 1];
                const std::vector<std::int64_t> here = rows_->rows_of(nodes[i].start, both);
                rows.insert(rows.end(), here.begin(), here.end());
                sizes.push_back(static_cast<std::int64_t>(found[2 * i]));
                sizes.push_back(static_cast<std::int64_t>(found[2 * i + 1]));
            }
        }
        return nb::make_tuple(give(std::move(sizes)), give(std::move(rows)));
    }

private:
    std::vector<deciduous::SurrogateNode> read_nodes(const Array<std::int64_t> &start,
                                                     const Array<std::int64_t> &size) const {
        std::vector<deciduous::SurrogateNode> nodes(start.size());
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
    m.def("route_by_surrogates", &route_by_surrogates);
    nb::class_<SurrogateRows>(m, "SurrogateRows")
        .def(nb::init<const nb::sequence &, const Array<std::int32_t> &,
                      const std::optional<Array<std::int32_t>> &, const std::optional<Array<double>> &,
                      const Array<double> &, const Array<double> &, const Array<double> &,
                      const Array<double> &, std::uint8_t, const Array<std::int64_t> &, std::size_t,
                      std::size_t>(),
             "columns"_a, "n_categories"_a.noconvert(), "classes"_a.none(), "numbers"_a.none(),
             "weight"_a.noconvert(), "row_weight"_a.noconvert(), "factor"_a.noconvert(),
             "places"_a.noconvert(), "rating"_a, "rows"_a.noconvert(), "n_total"_a, "n_threads"_a)
        .def("best_splits", &SurrogateRows::best_splits)
        .def("surrogates", &SurrogateRows::surrogates)
        .def("divide", &SurrogateRows::divide);
}
