// What the files of the Python module share: arrays taken from NumPy, and given to it.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace nb = nanobind;

namespace deciduous {

template <typename T>
using Array = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <typename T>
std::span<const T> view(const Array<T> &array, const char *name, std::size_t length) {
    if (array.size() != length)
        throw std::invalid_argument(std::string(name) + " has " + std::to_string(array.size()) +
                                    " elements; expected " + std::to_string(length));
    return {array.data(), length};
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

/// Adds the searches of categories, which tests compare with their NumPy twins.
void bind_categories(nb::module_ &module);

} // namespace deciduous
