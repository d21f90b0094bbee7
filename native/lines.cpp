#include "lines.hpp"

#include <algorithm>

namespace deciduous {

using std::int32_t;
using std::size_t;

constexpr size_t few_categories = 64; // all have a line while they are counted

void CategoryLines::forget(size_t n_categories) {
    for (const int32_t code : present_) // of the last node
        line_of_[static_cast<size_t>(code)] = -1;
    present_.clear();
    if (line_of_.size() < n_categories)
        line_of_.resize(n_categories, -1);
}

void CategoryLines::list_present(std::span<const int32_t> codes) {
    for (const int32_t code : codes)
        if (code >= 0 && line_of_[static_cast<size_t>(code)] < 0) {
            line_of_[static_cast<size_t>(code)] = 0;
            present_.push_back(code);
        }
    std::sort(present_.begin(), present_.end());
    for (size_t k = 0; k < present_.size(); ++k)
        line_of_[static_cast<size_t>(present_[k])] = static_cast<int32_t>(k);
}

/// Sums up classes by few categories.
void CategoryLines::count_few(std::span<const int32_t> codes, size_t n_categories,
                              std::span<const int32_t> classes, std::span<const double> weights) {
    sums_.assign((n_categories + 1) * width_, 0.0); // the last line: missing
    counts_.assign(n_categories + 1, 0);
    for (size_t i = 0; i < codes.size(); ++i) {
        const size_t line = codes[i] < 0 ? n_categories : static_cast<size_t>(codes[i]);
        ++counts_[line];
        sums_[line * width_ + static_cast<size_t>(classes[i])] += weights.empty() ? 1.0 : weights[i];
    }
    const auto line = [&](size_t k) { return sums_.begin() + static_cast<std::ptrdiff_t>(k * width_); };
    missing_.assign(line(n_categories), sums_.end());
    missing_count_ = counts_[n_categories];
    for (size_t code = 0; code < n_categories; ++code) {
        if (counts_[code] == 0)
            continue;
        const size_t k = present_.size();
        if (k < code)
            std::copy_n(line(code), width_, line(k));
        counts_[k] = counts_[code];
        line_of_[code] = static_cast<int32_t>(k);
        present_.push_back(static_cast<int32_t>(code));
    }
    sums_.resize(present_.size() * width_);
    counts_.resize(present_.size());
}

void CategoryLines::count(std::span<const int32_t> codes, size_t n_categories, size_t width,
                          std::span<const int32_t> classes, std::span<const double> numbers,
                          std::span<const double> weights) {
    width_ = width;
    forget(n_categories);
    if (n_categories <= few_categories && !classes.empty()) {
        count_few(codes, n_categories, classes, weights);
        return;
    }
    list_present(codes);
    sums_.assign(present_.size() * width, 0.0);
    missing_.assign(width, 0.0);
    counts_.assign(present_.size(), 0);
    missing_count_ = 0;
    for (size_t i = 0; i < codes.size(); ++i) {
        const bool is_missing = codes[i] < 0;
        const auto line = is_missing ? 0 : static_cast<size_t>(line_of_[static_cast<size_t>(codes[i])]);
        double *const cells = is_missing ? missing_.data() : sums_.data() + line * width;
        ++(is_missing ? missing_count_ : counts_[line]);
        const double w = weights.empty() ? 1.0 : weights[i];
        if (!classes.empty()) {
            cells[classes[i]] += w;
        } else {
            cells[0] += w;
            cells[1] += w * numbers[i];
            cells[2] += w * numbers[i] * numbers[i];
        }
    }
}

CategoryTable CategoryLines::table() const {
    return {width_, sums_, counts_, missing_, missing_count_, !present_.empty() && present_[0] == 0};
}

} // namespace deciduous
