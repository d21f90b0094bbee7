// Python's walk down a tree, and the weights of the rows in a rearranged one.
#include "arrays.hpp"
#include "redistribute.hpp"
#include "route.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

namespace {

/// The number of cells of the first column that is there; 0 if there is none.
std::size_t rows_of(const nb::sequence &objects) {
    for (const nb::handle object : objects)
        if (!object.is_none())
            return nb::len(object);
    return 0;
}

nb::tuple route(const Array<std::int32_t> &first_child, const Array<std::int32_t> &n_branches,
                const Array<std::int32_t> &feature, const Array<std::uint8_t> &kind,
                const Array<double> &threshold, const Array<std::int64_t> &category_start,
                const Array<std::int32_t> &category_branch, const Array<double> &share,
                bool unseen_as_missing, const nb::sequence &columns, std::int64_t n_rows,
                std::size_t n_threads) {
    if (n_rows < 0)
        throw std::invalid_argument("n_rows is " + std::to_string(n_rows) + "; it must be 0 or more");
    const deciduous::Tree tree =
        view_tree(first_child, n_branches, feature, kind, threshold, category_start, category_branch, share);
    const Columns cells = read_columns(columns, static_cast<std::size_t>(n_rows));
    deciduous::Ends ends;
    {
        nb::gil_scoped_release release;
        deciduous::check(tree, cells.views);
        ends = deciduous::route(tree, unseen_as_missing, cells.views, n_rows, n_threads);
    }
    if (!ends.parts)
        return nb::make_tuple(nb::none(), give(std::move(ends.nodes), static_cast<std::size_t>(n_rows)),
                              nb::none(), ends.infinite);
    return nb::make_tuple(give(std::move(ends.parts->rows)), give(std::move(ends.parts->nodes)),
                          give(std::move(ends.parts->weights)), ends.infinite);
}

/// A rearranged tree as Python gives it.
struct GivenTree {
    const Array<std::int32_t> &first_child, &n_branches, &question, &feature;
    const Array<std::uint8_t> &kind;
    const Array<double> &threshold;
    const Array<std::int64_t> &category_start;
    const Array<std::int32_t> &category_branch;
    const Array<double> &share;

    deciduous::Rearranged view_all() const {
        return {.tree = view_tree(first_child, n_branches, feature, kind, threshold, category_start,
                                  category_branch, share),
                .question = view(question, "question", first_child.size())};
    }
};

nb::tuple redistribute(std::int32_t start, bool by_known, const Array<std::int32_t> &first_child,
                       const Array<std::int32_t> &n_branches, const Array<std::int32_t> &question,
                       const Array<std::int32_t> &feature, const Array<std::uint8_t> &kind,
                       const Array<double> &threshold, const Array<std::int64_t> &category_start,
                       const Array<std::int32_t> &category_branch, const Array<double> &share,
                       const nb::sequence &columns, const Array<std::int64_t> &rows,
                       const Array<double> &weights) {
    const GivenTree given{first_child, n_branches,     question,        feature, kind,
                          threshold,   category_start, category_branch, share};
    const deciduous::Rearranged tree = given.view_all();
    const std::size_t n_rows = rows_of(columns);
    const Columns cells = read_columns(columns, n_rows);
    const deciduous::Arriving arriving{view(rows, "rows", rows.size()),
                                       view(weights, "weights", rows.size())};
    deciduous::Redistributed sent;
    {
        nb::gil_scoped_release release;
        sent = deciduous::redistribute(start, by_known, tree, cells.views, static_cast<std::int64_t>(n_rows),
                                       arriving);
    }
    return nb::make_tuple(give(std::move(sent.nodes)), give(std::move(sent.counts)),
                          give(std::move(sent.rows)), give(std::move(sent.weights)));
}

nb::tuple weigh_leaves(std::int32_t start, bool by_known, const Array<std::int32_t> &first_child,
                       const Array<std::int32_t> &n_branches, const Array<std::int32_t> &question,
                       const Array<std::int32_t> &feature, const Array<std::uint8_t> &kind,
                       const Array<double> &threshold, const Array<std::int64_t> &category_start,
                       const Array<std::int32_t> &category_branch, const Array<double> &share,
                       const nb::sequence &columns, const Array<std::int32_t> &codes, std::int32_t n_classes,
                       const Array<std::int64_t> &rows, const Array<double> &weights) {
    const GivenTree given{first_child, n_branches,     question,        feature, kind,
                          threshold,   category_start, category_branch, share};
    const deciduous::Rearranged tree = given.view_all();
    const Columns cells = read_columns(columns, codes.size());
    const deciduous::Arriving arriving{view(rows, "rows", rows.size()),
                                       view(weights, "weights", rows.size())};
    deciduous::WeighedLeaves weighed;
    {
        nb::gil_scoped_release release;
        weighed = deciduous::weigh_leaves(start, by_known, tree, cells.views,
                                          view(codes, "codes", codes.size()), n_classes, arriving);
    }
    return nb::make_tuple(give(std::move(weighed.leaves)), give(std::move(weighed.class_weights)));
}

} // namespace

void bind_trees(nb::module_ &m) {
    m.def("route", &route, "first_child"_a.noconvert(), "n_branches"_a.noconvert(), "feature"_a.noconvert(),
          "kind"_a.noconvert(), "threshold"_a.noconvert(), "category_start"_a.noconvert(),
          "category_branch"_a.noconvert(), "share"_a.noconvert(), "unseen_as_missing"_a, "columns"_a,
          "n_rows"_a, "n_threads"_a = 1);
    m.def("redistribute", &redistribute, "start"_a, "by_known"_a, "first_child"_a.noconvert(),
          "n_branches"_a.noconvert(), "question"_a.noconvert(), "feature"_a.noconvert(), "kind"_a.noconvert(),
          "threshold"_a.noconvert(), "category_start"_a.noconvert(), "category_branch"_a.noconvert(),
          "share"_a.noconvert(), "columns"_a, "rows"_a.noconvert(), "weights"_a.noconvert());
    m.def("weigh_leaves", &weigh_leaves, "start"_a, "by_known"_a, "first_child"_a.noconvert(),
          "n_branches"_a.noconvert(), "question"_a.noconvert(), "feature"_a.noconvert(), "kind"_a.noconvert(),
          "threshold"_a.noconvert(), "category_start"_a.noconvert(), "category_branch"_a.noconvert(),
          "share"_a.noconvert(), "columns"_a, "codes"_a.noconvert(), "n_classes"_a, "rows"_a.noconvert(),
          "weights"_a.noconvert());
}
