// What the bindings share: views of NumPy arrays, checked, and arrays that are given away.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include "question.hpp"
#include "route.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace nb = nanobind;
using namespace nb::literals;

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

/// A tree as Python gives it, checked for the lengths of its arrays only.
inline deciduous::Tree view_tree(const Array<std::int32_t> &first_child,
                                 const Array<std::int32_t> &n_branches, const Array<std::int32_t> &feature,
                                 const Array<std::uint8_t> &kind, const Array<double> &threshold,
                                 const Array<std::int64_t> &category_start,
                                 const Array<std::int32_t> &category_branch, const Array<double> &share) {
    const std::size_t n = first_child.size();
    return {
        .first_child = view(first_child, "first_child", n),
        .n_branches = view(n_branches, "n_branches", n),
        .feature = view(feature, "feature", n),
        .kind = view(kind, "kind", n),
        .threshold = view(threshold, "threshold", n),
        .category_start = view(category_start, "category_start", n + 1),
        .category_branch = view(category_branch, "category_branch", category_branch.size()),
        .share = view(share, "share", n),
    };
}

/// Views of a table's columns, and the arrays that must live as long as they do.
struct Columns {
    std::vector<Cells> held;
    std::vector<deciduous::Column> views;
};

[[noreturn]] inline void refuse_column(std::size_t feature, const std::string &why) {
    throw std::invalid_argument("column " + std::to_string(feature) + " " + why);
}

inline deciduous::Column view_column(const Cells &cells, std::size_t feature, std::size_t n_rows) {
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

inline Columns read_columns(const nb::sequence &objects, std::size_t n_rows) {
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

template <typename T>
auto give(std::unique_ptr<T[]> &&values, std::size_t length) {
    T *data = values.get();
    nb::capsule owner(data, [](void *p) noexcept { delete[] static_cast<T *>(p); });
    values.release();
    return nb::ndarray<nb::numpy, T, nb::ndim<1>>(data, {length}, owner);
}

/// Lets Ctrl-C end long work: throws what Python has pending.
inline void poll_signals() {
    const nb::gil_scoped_acquire acquire;
    if (PyErr_CheckSignals() != 0)
        throw nb::python_error();
}

/// What is bound in files of its own.
void bind_trees(nb::module_ &m);
void bind_categories(nb::module_ &m);
void bind_rows(nb::module_ &m);
void bind_surrogates(nb::module_ &m);
void bind_surrogate_route(nb::module_ &m);
