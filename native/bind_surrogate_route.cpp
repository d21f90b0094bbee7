// The Python side of the walk that asks surrogates: checks what it is given, then forwards.
#include "arrays.hpp"
#include "surrogate_route.hpp"

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
    const deciduous::Tree tree =
        view_tree(first_child, n_branches, feature, kind, threshold, category_start, category_branch, share);
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

} // namespace

void bind_surrogate_route(nb::module_ &m) {
    m.def("route_by_surrogates", &route_by_surrogates);
}
