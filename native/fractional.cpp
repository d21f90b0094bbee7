// The dividing of rows in parts. What follows a division, the search, knows entries as it knows rows; where
// the entries of the branches lie is in fractional_blocks.cpp.
#include "fractional.hpp"

#include "rows_state.hpp"

#include <array>

namespace deciduous {

using std::int32_t;
using std::int64_t;
using std::size_t;
using std::uint32_t;

// --- dividing --------------------------------------------------------------------------------------------

/// Summarises the branches of a divided node, and gives every entry its place in its branch. Entries with a
/// known cell come first in a branch, then those with a missing one: all of them, if it has a share.
void Rows::State::summarise_parts(size_t node, Scratch &memory, Summaries &summaries) {
    const Segment &segment = divided.nodes[node];
    const auto first = static_cast<size_t>(divided.first_branch[node]),
               n_branches = static_cast<size_t>(divided.first_branch[node + 1]) - first;
    const auto begin = static_cast<size_t>(segment.start), end = begin + static_cast<size_t>(segment.size);
    int64_t *const known = known_rows.data() + first;
    uint32_t n_missing = 0;
    for (size_t i = begin; i < end; ++i)
        place[i] = branch[i] < 0 ? n_missing++ : static_cast<uint32_t>(known[branch[i]]++);
    missing_rows[node] = n_missing;
    for (size_t b = 0; b < n_branches; ++b)
        divided.branch_rows[first + b] = known[b] + (shares[first + b] > 0.0 ? n_missing : 0);
    if (n_branches == 2)
        place_in_two(node);
    if (has_classes())
        sum_parts(node, summaries);
    else
        centre_parts(node, memory, summaries);
}

/// Of a division in two: the place of every entry in each branch, with `second_branch` where it goes there.
void Rows::State::place_in_two(size_t node) {
    const auto first = static_cast<size_t>(divided.first_branch[node]);
    const auto begin = static_cast<size_t>(divided.nodes[node].start),
               end = begin + static_cast<size_t>(divided.nodes[node].size);
    // By branch (the missing cells' first): what is added to a place, with the mark of those who go there.
    std::array<std::array<uint32_t, 2>, 3> offset{};
    for (size_t b = 0; b < 2; ++b) {
        if (shares[first + b] > 0.0)
            offset[0][b] = static_cast<uint32_t>(known_rows[first + b]) | second_branch;
        offset[b + 1][b] = second_branch;
    }
    for (size_t i = begin; i < end; ++i) {
        const auto &here = offset[static_cast<size_t>(branch[i] + 1)];
        places[i] = {place[i] + here[0], place[i] + here[1]};
    }
}

void Rows::State::sum_parts(size_t node, Summaries &summaries) {
    const auto first = static_cast<size_t>(divided.first_branch[node]),
               end = static_cast<size_t>(divided.first_branch[node + 1]);
    const auto begin = static_cast<size_t>(divided.nodes[node].start),
               past = begin + static_cast<size_t>(divided.nodes[node].size);
    double *const lines = summaries.classes.data();
    for (size_t i = begin; i < past; ++i) {
        const double w = weights.empty() ? 1.0 : weights[i];
        const auto c = static_cast<size_t>(classes[i]);
        if (branch[i] >= 0)
            lines[(first + static_cast<size_t>(branch[i])) * width + c] += w;
        for (size_t b = branch[i] < 0 ? first : end; b < end; ++b)
            if (shares[b] > 0.0)
                lines[b * width + c] += part_of(w, shares[b]);
    }
    for (size_t b = first; b < end; ++b)
        set_classes(b, summaries);
}

void Rows::State::centre_parts(size_t node, Scratch &memory, Summaries &summaries) {
    const auto first = static_cast<size_t>(divided.first_branch[node]),
               end = static_cast<size_t>(divided.first_branch[node + 1]);
    const auto begin = static_cast<size_t>(divided.nodes[node].start),
               past = begin + static_cast<size_t>(divided.nodes[node].size);
    for (size_t b = first; b < end; ++b) {
        memory.numbers.clear();
        memory.weights.clear();
        for (size_t i = begin; i < past; ++i) {
            const bool missing = branch[i] < 0;
            if (missing ? shares[b] <= 0.0 : static_cast<size_t>(branch[i]) != b - first)
                continue;
            const double w = weights.empty() ? 1.0 : weights[i];
            memory.numbers.push_back(numbers[i]);
            memory.weights.push_back(missing ? part_of(w, shares[b]) : w);
        }
        set_numbers(b, centred(about, memory.numbers, memory.weights, memory.set), summaries);
    }
}

/// Divides the node of `divided`: of one node at a time, on one thread.
void Rows::State::divide_in_parts(const Question &question, Scratch &memory, Summaries &summaries) {
    const Segment &segment = divided.nodes.front();
    fit_to(static_cast<size_t>(segment.start + segment.size));
    shares.assign(question.shares.begin(), question.shares.end());
    branches_of(segment, question);
    make_room(divided, summaries);
    known_rows.assign(divided.branch_rows.size(), 0);
    missing_rows.assign(1, 0);
    summarise_parts(0, memory, summaries);
}

} // namespace deciduous
