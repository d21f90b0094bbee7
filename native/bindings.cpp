// The Python module deciduous.kernels._native: checks what it is given, then forwards. No logic lives here.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include "route.hpp"

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

namespace nb = nanobind;
using namespace nb::literals;

namespace {

template <typename T>
using Array = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

using Cells = nb::ndarray<nb::ro, nb::ndim<1>, nb::device::cpu>;

template <typename T>
std::span<const T> view(const Array<T> &array, const char *name, std::size_t length) {
    if (array.size() != length)
        throw std::invalid_argument(std::string(name) + " has " + std::to_string(array.size()) +
                                    " elements; expected " + std::to_string(length));
    return {array.data(), length};
}

/// Views of a table's columns, and the arrays that must live as long as they do.
struct Columns {
    std::vector<Cells> held;
    std::vector<deciduous::Column> views;
};

[[noreturn]] void refuse_column(std::size_t feature, const std::string &why) {
    throw std::invalid_argument("column " + std::to_string(feature) + " " + why);
}

deciduous::Column view_column(const Cells &cells, std::size_t feature, std::size_t n_rows) {
    if (cells.size() != n_rows)
        refuse_column(feature,
                      "has " + std::to_string(cells.size()) + " cells; expected " + std::to_string(n_rows));
    if (reinterpret_cast<std::uintptr_t>(cells.data()) % cells.itemsize() != 0)
        refuse_column(feature, "is not aligned in memory; copy it first");
    const bool number = cells.dtype() == nb::dtype<double>();
    if (!number && cells.dtype() != nb::dtype<std::int32_t>())
        throw nb::type_error(
            ("column " + std::to_string(feature) + " must hold float64 numbers or int32 codes").c_str());
    return {number ? deciduous::CellType::number : deciduous::CellType::code, cells.data(),
            static_cast<std::ptrdiff_t>(cells.stride(0))};
}

Columns read_columns(const nb::sequence &objects, std::size_t n_rows) {
    Columns columns;
    for (const nb::handle object : objects) {
        columns.views.emplace_back();
        if (object.is_none())
            continue;
        const std::size_t feature = columns.views.size() - 1;
        Cells cells;
        if (!nb::try_cast(object, cells, false))
            throw nb::type_error(("column " + std::to_string(feature) +
                                  " must be None or a 1-D NumPy array in this machine's byte order")
                                     .c_str());
        columns.views.back() = view_column(cells, feature, n_rows);
        columns.held.push_back(std::move(cells));
    }
    return columns;
}

template <typename T>
auto give(std::vector<T> &&values) {
    auto owned = std::make_unique<std::vector<T>>(std::move(values));
    T *data = owned->data();
    const std::size_t length = owned->size();
    nb::capsule owner(owned.get(), [](void *p) noexcept { delete static_cast<std::vector<T> *>(p); });
    owned.release();
    return nb::ndarray<nb::numpy, T, nb::ndim<1>>(data, {length}, owner);
}

nb::tuple route(const Array<std::int32_t> &first_child, const Array<std::int32_t> &n_branches,
                const Array<std::int32_t> &feature, const Array<std::uint8_t> &kind,
                const Array<double> &threshold, const Array<std::int64_t> &category_start,
                const Array<std::int32_t> &category_branch, const Array<double> &share,
                bool unseen_as_missing, const nb::sequence &columns, std::int64_t n_rows) {
    if (n_rows < 0)
        throw std::invalid_argument("n_rows is " + std::to_string(n_rows) + "; it must be 0 or more");
    const std::size_t n = first_child.size();
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
    const Columns cells = read_columns(columns, static_cast<std::size_t>(n_rows));
    deciduous::Entries entries;
    {
        nb::gil_scoped_release release;
        deciduous::check(tree, cells.views);
        entries = deciduous::route(tree, unseen_as_missing, cells.views, n_rows);
    }
    return nb::make_tuple(give(std::move(entries.rows)), give(std::move(entries.nodes)),
                          give(std::move(entries.weights)));
}

} // namespace

// `noconvert`: an array of another type is an error, never a silent copy that could wrap or round.
NB_MODULE(_native, m) {
    m.def("route", &route, "first_child"_a.noconvert(), "n_branches"_a.noconvert(), "feature"_a.noconvert(),
          "kind"_a.noconvert(), "threshold"_a.noconvert(), "category_start"_a.noconvert(),
          "category_branch"_a.noconvert(), "share"_a.noconvert(), "unseen_as_missing"_a, "columns"_a,
          "n_rows"_a);
}
