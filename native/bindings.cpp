// The Python module deciduous.kernels._native: checks what it is given, then forwards. No logic lives here.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>

#include "route.hpp"
#include "rows.hpp"

#include <cstdint>
#include <memory>
#include <optional>
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

template <typename T>
auto give(std::unique_ptr<T[]> &&values, std::size_t length) {
    T *data = values.get();
    nb::capsule owner(data, [](void *p) noexcept { delete[] static_cast<T *>(p); });
    values.release();
    return nb::ndarray<nb::numpy, T, nb::ndim<1>>(data, {length}, owner);
}

nb::tuple route(const Array<std::int32_t> &first_child, const Array<std::int32_t> &n_branches,
                const Array<std::int32_t> &feature, const Array<std::uint8_t> &kind,
                const Array<double> &threshold, const Array<std::int64_t> &category_start,
                const Array<std::int32_t> &category_branch, const Array<double> &share,
                bool unseen_as_missing, const nb::sequence &columns, std::int64_t n_rows,
                std::size_t n_threads) {
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

// --- growing ---------------------------------------------------------------------------------------------

nb::tuple give_summaries(const std::vector<deciduous::Summary> &summaries) {
    std::vector<std::int64_t> rows;
    std::vector<double> weight, mean, variance, centre, scale, classes;
    std::vector<std::uint8_t> pure;
    for (const deciduous::Summary &s : summaries) {
        rows.push_back(s.rows);
        weight.push_back(s.weight);
        mean.push_back(s.mean);
        variance.push_back(s.variance);
        centre.push_back(s.centre);
        scale.push_back(s.scale);
        pure.push_back(s.pure);
        classes.insert(classes.end(), s.classes.begin(), s.classes.end());
    }
    return nb::make_tuple(give(std::move(rows)), give(std::move(weight)), give(std::move(mean)),
                          give(std::move(variance)), give(std::move(centre)), give(std::move(scale)),
                          give(std::move(pure)), give(std::move(classes)));
}

/// Training rows, with the arrays that they borrow.
class TrainingRows {
public:
    TrainingRows(const nb::sequence &columns, const Array<std::int32_t> &n_categories,
                 const std::optional<Array<std::int32_t>> &classes,
                 const std::optional<Array<double>> &numbers, const std::optional<Array<double>> &weights,
                 std::int32_t n_classes, const Array<std::int64_t> &rows, std::size_t n_total,
                 std::size_t n_threads)
        : columns_(read_columns(columns, n_total)) {
        if (classes.has_value() == numbers.has_value())
            throw std::invalid_argument("give either classes or numbers");
        deciduous::Rows::Target target;
        target.n_classes = n_classes;
        if (classes)
            target.classes = view(*classes, "classes", n_total);
        if (numbers)
            target.numbers = view(*numbers, "numbers", n_total);
        if (weights)
            target.weights = view(*weights, "weights", n_total);
        const std::span<const std::int64_t> taking_part = view(rows, "rows", rows.size());
        check_rows(taking_part, target, n_total);
        const auto categories = view(n_categories, "n_categories", columns_.views.size());
        check_codes(categories, n_total);
        std::vector<std::int32_t> n(categories.begin(), categories.end());
        nb::gil_scoped_release release;
        rows_ =
            std::make_unique<deciduous::Rows>(columns_.views, std::move(n), target, taking_part, n_threads);
    }

    nb::tuple root() const { return give_summaries({rows_->root()}); }

    nb::tuple divide(const Array<std::int64_t> &starts, const Array<std::int64_t> &sizes,
                     const Array<std::int32_t> &features, const Array<std::uint8_t> &kinds,
                     const Array<double> &thresholds, const Array<std::int32_t> &n_branches,
                     const Array<std::int32_t> &missing_branch, const Array<std::int64_t> &category_start,
                     const Array<std::int32_t> &category_branch) {
        const auto nodes = segments(starts, sizes);
        const std::size_t n = nodes.size();
        const auto feature = view(features, "features", n);
        const auto kind = view(kinds, "kinds", n);
        const auto threshold = view(thresholds, "thresholds", n);
        const auto branches = view(n_branches, "n_branches", n);
        const auto missing = view(missing_branch, "missing_branch", n);
        const auto start = view(category_start, "category_start", n + 1);
        const auto codes = view(category_branch, "category_branch", category_branch.size());
        std::vector<deciduous::Question> questions(n);
        for (std::size_t k = 0; k < n; ++k) {
            check_question(feature[k], kind[k], branches[k], missing[k]);
            const auto first = static_cast<std::size_t>(start[k]),
                       end = static_cast<std::size_t>(start[k + 1]);
            if (start[k] < 0 || first > end || end > codes.size())
                throw std::invalid_argument("category_start must rise within category_branch");
            for (const std::int32_t branch : codes.subspan(first, end - first))
                if (branch < -1 || branch >= branches[k])
                    throw std::invalid_argument("category_branch names a branch that is not there");
            questions[k] = {feature[k], static_cast<deciduous::SplitKind>(kind[k]), threshold[k], branches[k],
                            missing[k], codes.subspan(first, end - first)};
        }
        std::vector<deciduous::Summary> summaries;
        {
            nb::gil_scoped_release release;
            summaries = rows_->divide(nodes, questions);
        }
        n_divided_ = summaries.size();
        return give_summaries(summaries);
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

    nb::tuple best_thresholds(const Array<std::int64_t> &starts, const Array<std::int64_t> &sizes,
                              const Array<double> &weight, const Array<double> &centre,
                              const Array<double> &scale, const Array<double> &classes,
                              const Array<double> &bands, std::uint8_t measure, std::uint8_t missing,
                              std::int64_t min_rows, double min_weight, double min_cases, double slack,
                              bool tables) {
        const auto nodes = segments(starts, sizes);
        const std::size_t n = nodes.size();
        const auto w = view(weight, "weight", n), c = view(centre, "centre", n), s = view(scale, "scale", n);
        const auto band = view(bands, "bands", n);
        const std::size_t width = n ? classes.size() / n : 0;
        const auto counts = view(classes, "classes", n * width);
        if (measure > 3 || missing > 2)
            throw std::invalid_argument("no such measure or policy");
        std::vector<deciduous::Summary> summaries(n);
        for (std::size_t k = 0; k < n; ++k) {
            summaries[k].weight = w[k];
            summaries[k].centre = c[k];
            summaries[k].scale = s[k];
        }
        const deciduous::Rule rule{static_cast<deciduous::Measure>(measure),
                                   static_cast<deciduous::MissingPolicy>(missing),
                                   min_rows,
                                   min_weight,
                                   min_cases,
                                   slack};
        deciduous::Thresholds found;
        {
            nb::gil_scoped_release release;
            found = rows_->best_thresholds(nodes, summaries, counts, band, rule, tables);
        }
        return nb::make_tuple(give(std::move(found.gain)), give(std::move(found.low)),
                              give(std::move(found.high)), give(std::move(found.left)),
                              give(std::move(found.right)), give(std::move(found.place)),
                              give(std::move(found.tried)), give(std::move(found.values)),
                              give(std::move(found.tables)), give(std::move(found.counts)));
    }

    nb::tuple contingency(std::int64_t start, std::int64_t size, double centre, double scale,
                          std::int32_t feature) const {
        deciduous::Summary summary;
        summary.centre = centre;
        summary.scale = scale;
        deciduous::Contingency found;
        {
            nb::gil_scoped_release release;
            found = rows_->contingency(checked(start, size), summary, feature);
        }
        return nb::make_tuple(give(std::move(found.table)), give(std::move(found.counts)));
    }

private:
    static void check_rows(std::span<const std::int64_t> rows, const deciduous::Rows::Target &target,
                           std::size_t n_total) {
        std::int64_t before = -1;
        for (const std::int64_t row : rows) {
            if (row <= before || static_cast<std::size_t>(row) >= n_total)
                throw std::invalid_argument("rows must increase within the table");
            before = row;
            if (!target.classes.empty()) {
                const std::int32_t code = target.classes[static_cast<std::size_t>(row)];
                if (code < 0 || code >= target.n_classes)
                    throw std::invalid_argument("a row that takes part has no class");
            }
        }
    }

    void check_codes(std::span<const std::int32_t> n_categories, std::size_t n_total) const {
        for (std::size_t f = 0; f < n_categories.size(); ++f) {
            const deciduous::Column &column = columns_.views[f];
            if (n_categories[f] <= 0 || column.type == deciduous::CellType::absent)
                continue;
            if (column.type != deciduous::CellType::code)
                refuse_column(f, "has categories, but does not hold int32 codes");
            for (std::size_t row = 0; row < n_total; ++row)
                if (column.code(static_cast<std::int64_t>(row)) >= n_categories[f])
                    refuse_column(f, "holds a code beyond its categories");
        }
    }

    void check_question(std::int32_t feature, std::uint8_t kind, std::int32_t branches,
                        std::int32_t missing) const {
        if (feature < 0 || static_cast<std::size_t>(feature) >= columns_.views.size() ||
            columns_.views[static_cast<std::size_t>(feature)].type == deciduous::CellType::absent)
            throw std::invalid_argument("a question asks for a column that is not there");
        if (kind < 1 || kind > 5 || branches < 2 || missing < 0 || missing >= branches)
            throw std::invalid_argument("a question has an unknown kind, or branches that are not there");
        const deciduous::Column &column = columns_.views[static_cast<std::size_t>(feature)];
        if (deciduous::test_of(static_cast<deciduous::SplitKind>(kind), column.type) ==
                deciduous::Test::category &&
            column.type != deciduous::CellType::code)
            throw std::invalid_argument("a question about categories asks for a column of numbers");
    }

    deciduous::Segment checked(std::int64_t start, std::int64_t size) const {
        if (start < 0 || size < 0 || start + size > static_cast<std::int64_t>(rows_->n_rows()))
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
    std::size_t n_divided_ = 0;
};

} // namespace

// `noconvert`: an array of another type is an error, never a silent copy that could wrap or round.
NB_MODULE(_native, m) {
    m.def("route", &route, "first_child"_a.noconvert(), "n_branches"_a.noconvert(), "feature"_a.noconvert(),
          "kind"_a.noconvert(), "threshold"_a.noconvert(), "category_start"_a.noconvert(),
          "category_branch"_a.noconvert(), "share"_a.noconvert(), "unseen_as_missing"_a, "columns"_a,
          "n_rows"_a, "n_threads"_a = 1);
    nb::class_<TrainingRows>(m, "TrainingRows")
        .def(nb::init<const nb::sequence &, const Array<std::int32_t> &,
                      const std::optional<Array<std::int32_t>> &, const std::optional<Array<double>> &,
                      const std::optional<Array<double>> &, std::int32_t, const Array<std::int64_t> &,
                      std::size_t, std::size_t>(),
             "columns"_a, "n_categories"_a.noconvert(), "classes"_a.none(), "numbers"_a.none(),
             "weights"_a.none(), "n_classes"_a, "rows"_a.noconvert(), "n_total"_a, "n_threads"_a)
        .def("root", &TrainingRows::root)
        .def("divide", &TrainingRows::divide)
        .def("keep", &TrainingRows::keep)
        .def("best_thresholds", &TrainingRows::best_thresholds)
        .def("contingency", &TrainingRows::contingency);
}
