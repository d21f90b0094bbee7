#include "divisions.hpp"

#include "draw.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace deciduous {

using std::size_t;
using std::uint64_t;
using std::uint8_t;

void smaller_block_left(std::vector<uint8_t> &left) {
    const auto size = static_cast<size_t>(std::count(left.begin(), left.end(), 1));
    if (2 * size > left.size() || (2 * size == left.size() && !left[0]))
        for (uint8_t &side : left)
            side ^= 1;
}

void draw_division(const Drawing &drawing, Nominal nominal, bool places_missing, std::vector<uint8_t> &left) {
    const size_t n = drawing.codes.size();
    const uint64_t key = draw(drawing.key, OfColumn::categories);
    left.assign(n + places_missing, 0);
    if (nominal == Nominal::one_vs_rest) {
        left[below(n, key)] = 1;
        if (places_missing)
            left[n] = coin(draw(drawing.key, OfColumn::missing_side));
        return;
    }
    for (uint64_t attempt = 0;; ++attempt) {
        const uint64_t round = draw(key, attempt);
        for (size_t i = 0; i < left.size(); ++i)
            left[i] =
                coin(draw(round, static_cast<uint64_t>(i < n ? drawing.codes[i] : drawing.n_categories)));
        const auto size = static_cast<size_t>(std::count(left.begin(), left.end(), 1));
        if (size > 0 && size < left.size())
            break;
    }
    smaller_block_left(left);
}

double split_information(std::span<const double> weights, double apart) {
    const double total = std::accumulate(weights.begin(), weights.end(), apart);
    const auto part = [&](double w) { return w > 0.0 ? -w / total * std::log2(w / total) : 0.0; };
    double information = part(apart);
    for (const double w : weights)
        information += part(w);
    return information;
}

} // namespace deciduous
