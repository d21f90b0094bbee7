// What a search must know of the numbers of a node: as they are scanned, their moments, their ranks.
#include "rows_state.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace deciduous {

using std::int64_t;
using std::size_t;
using std::uint32_t;

/// Works out the numbers of a node as they are scanned, and their moments.
void Rows::State::centre_node(const Batch &batch, size_t k, NodeSums &into) {
    double *const moments = into.moments.data() + k * width;
    for (int64_t i = batch.nodes[k].start; i < batch.nodes[k].start + batch.nodes[k].size; ++i) {
        const auto at = static_cast<size_t>(i);
        const double d = (numbers[at] - batch.centre[k]) / batch.scale[k],
                     w = weights.empty() ? 1.0 : weights[at];
        deviation[at] = d;
        moments[0] += w;
        moments[1] += w * d; // the centre is a rounded mean: this is nearly 0, and its digits count
        moments[2] += w * d * d;
    }
    if (about != About::median) {
        const auto begin = deviation.begin() + batch.nodes[k].start;
        std::transform(begin, begin + batch.nodes[k].size, rough_deviation.begin() + batch.nodes[k].start,
                       [](double d) { return static_cast<float>(d); });
        return;
    }
    // The median is the centre, about which the numbers are scanned.
    for (int64_t i = batch.nodes[k].start; i < batch.nodes[k].start + batch.nodes[k].size; ++i) {
        const auto at = static_cast<size_t>(i);
        into.errors[k] += (weights.empty() ? 1.0 : weights[at]) * std::abs(deviation[at]);
    }
    if (in_parts)
        rank(batch.nodes[k]);
}

/// Works out what a search needs of the numbers of the nodes.
void Rows::State::prepare(const Batch &batch) {
    if (has_classes())
        return;
    node_sums.moments.assign(batch.nodes.size() * width, 0.0);
    node_sums.errors.assign(about == About::median ? batch.nodes.size() : 0, 0.0);
    const auto runs = runs_of(batch.nodes);
    share(runs.size(), n_rows_of(batch.nodes), [&](size_t run, size_t) {
        for (size_t k = runs[run].first; k < runs[run].second; ++k)
            centre_node(batch, k, node_sums);
    });
}

/// Works out the ranks of the numbers of a node.
void Rows::State::rank(const Segment &node) {
    const auto begin = static_cast<size_t>(node.start), size = static_cast<size_t>(node.size);
    std::vector<uint32_t> rows(size);
    std::iota(rows.begin(), rows.end(), 0U);
    std::stable_sort(rows.begin(), rows.end(),
                     [&](uint32_t a, uint32_t b) { return deviation[begin + a] < deviation[begin + b]; });
    for (size_t i = 0; i < size; ++i) {
        ranks[begin + rows[i]] = static_cast<uint32_t>(i);
        in_order[begin + i] = deviation[begin + rows[i]];
        if (!weights.empty())
            weights_in_order[begin + i] = weights[begin + rows[i]];
    }
}

} // namespace deciduous
