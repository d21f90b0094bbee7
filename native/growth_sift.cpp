// Branches that surely have no split, of rows in parts, are found before their entries are copied. Of a node
// that is divided in many branches each takes over all entries with a missing cell: they are most of what
// would be copied and searched, though they weigh next to nothing, and what they add to a column is the same
// in every branch but for a factor.
#include "grower.hpp"
#include "rivals.hpp"

#include <algorithm>
#include <numeric>

namespace deciduous {

using std::int64_t;
using std::size_t;
using std::uint32_t;
using std::uint64_t;
using std::uint8_t;

namespace {

constexpr double rounding = 1e-9; // far more than sums in another order differ by

} // namespace

/// Whether branches can be judged by the weights in them alone.
bool Rows::Grower::sifts(const State &s) const {
    const Conventions &rules = rule_.conventions;
    return s.in_parts && s.divided.branch_rows.size() > 2 && !records() &&
           rule_.measure == Measure::entropy && rule_.missing == MissingPolicy::known_only &&
           rule_.nominal == Nominal::multiway && rules.counts_cuts && !rules.counts_rows &&
           rules.gap <= 0.0 && rule_.min_cases > 0.0 && rule_.min_rows <= 1 && rule_.min_weight <= 0.0 &&
           s_.max_bins == 0;
}

/// Makes leaves of the kept branches that surely have no split; `first_child`: the number of the first
/// branch.
void Rows::Grower::sift(const State &s, int64_t first_child, size_t thread) {
    Worker &worker = workers_[thread];
    Sieve &sieve = worker.sieve;
    sieve.branches.clear();
    for (size_t b = 0; b < worker.kept.size(); ++b)
        if (worker.kept[b])
            sieve.branches.push_back(b);
    sieve.is_cut.assign(worker.kept.size(), 0);
    for (const State::Nominal &feature : s.nominal)
        sift_by_categories(s, feature, worker.summaries, sieve);
    for (const State::Ordered &feature : s.ordered)
        s.is_wide ? sift_by_numbers(s, feature.wide, feature, worker.summaries, sieve)
                  : sift_by_numbers(s, feature.narrow, feature, worker.summaries, sieve);
    for (const size_t b : sieve.branches) {
        worker.kept[b] = 0;
        nurseries_[thread].nodes[static_cast<size_t>(first_child) + b].reason =
            sieve.is_cut[b] ? Reason::no_gain : Reason::no_candidate;
    }
    std::erase_if(worker.children, [&](const Open &child) {
        return !worker.kept[static_cast<size_t>(child.node - first_child)];
    });
}

/// Keeps the branches in which no two categories have the weight that two must have.
void Rows::Grower::sift_by_categories(const State &s, const State::Nominal &feature,
                                      const Summaries &summaries, Sieve &sieve) const {
    const auto n = static_cast<size_t>(s.n_categories[static_cast<size_t>(feature.feature)]);
    const size_t n_branches = s.divided.branch_rows.size();
    const auto begin = static_cast<size_t>(s.divided.nodes[0].start),
               size = static_cast<size_t>(s.divided.nodes[0].size);
    if (sieve.branches.empty() || n * n_branches > 8 * size + 1024) {
        sieve.branches.clear(); // the tables would be larger than what they save
        return;
    }
    sieve.weights.assign((n_branches + 1) * n, 0.0);
    for (size_t i = begin; i < begin + size; ++i)
        if (feature.codes[i] >= 0) {
            const size_t line = s.branch[i] < 0 ? n_branches : static_cast<size_t>(s.branch[i]);
            sieve.weights[line * n + static_cast<size_t>(feature.codes[i])] += s.weights[i];
        }
    const double cases = rule_.enough(rule_.min_cases) * (1.0 - rounding);
    const double *const missing = sieve.weights.data() + n_branches * n;
    std::erase_if(sieve.branches, [&](size_t b) {
        if (summaries.weight[b] < cases)
            return false;
        const double *const known = sieve.weights.data() + b * n, share = s.shares[b];
        int heavy = 0;
        for (size_t k = 0; k < n; ++k)
            heavy += known[k] + share * missing[k] >= cases;
        return heavy >= 2;
    });
}

/// Lists the known cells of a column of numbers by branch, and what lies between them.
template <typename R>
void Rows::Grower::list_by_branch(const State &s, const std::vector<R> &records,
                                  const State::Ordered &feature, Sieve &sieve) const {
    const size_t n_branches = s.divided.branch_rows.size();
    const Segment &node = s.divided.nodes[0];
    const auto begin = static_cast<size_t>(node.start);
    const Packing<R> &pack = s.packing<R>();
    const std::span<const R> all(records.data() + begin, static_cast<size_t>(node.size));
    size_t n_known = all.size();
    if (feature.has_missing) {
        const auto known = [&](R record) {
            return !s.is_missing(feature.feature, s.original[begin + pack.row(record)]);
        };
        n_known = static_cast<size_t>(std::partition_point(all.begin(), all.end(), known) - all.begin());
    }
    sieve.first.resize(n_branches);
    std::exclusive_scan(s.known_rows.begin(), s.known_rows.begin() + static_cast<std::ptrdiff_t>(n_branches),
                        sieve.first.begin(), int64_t{0});
    sieve.end = sieve.first;
    sieve.weight.resize(all.size());
    sieve.records<R>().resize(all.size() + record_padding);
    sieve.missing_before.resize(all.size());
    sieve.value.resize(all.size());
    sieve.missing_values.clear();
    sieve.missing.assign(s.width, 0.0);
    double missing_weight = 0.0;
    int64_t value = 0;
    for (const R record : all.first(n_known)) {
        const size_t i = begin + pack.row(record);
        value += Packing<R>::start(record);
        if (s.branch[i] >= 0) {
            const auto at = static_cast<size_t>(sieve.end[static_cast<size_t>(s.branch[i])]++);
            sieve.weight[at] = s.weights[i];
            sieve.records<R>()[at] = pack.pack(true, pack.class_code(record), static_cast<uint32_t>(at));
            sieve.missing_before[at] = missing_weight;
            sieve.value[at] = value;
            continue;
        }
        missing_weight += s.weights[i];
        sieve.missing[pack.class_code(record)] += s.weights[i];
        if (sieve.missing_values.empty() || value != sieve.missing_values.back())
            sieve.missing_values.push_back(value);
    }
    sieve.missing_weight = missing_weight;
}

/// The cuts of a branch that may leave the weight `least` on both sides: they have first .. last - 1 of its
/// known entries on the left, and any number of those with a missing cell that lie between these and the next
/// one.
Range Rows::Grower::possible_cuts(double share, size_t branch, double least, const Sieve &sieve) const {
    const auto begin = static_cast<size_t>(sieve.first[branch]), end = static_cast<size_t>(sieve.end[branch]);
    double all = share * sieve.missing_weight;
    for (size_t i = begin; i < end; ++i)
        all += sieve.weight[i];
    if (all < 2.0 * least)
        return {};
    size_t first = begin, last = begin;
    double left = 0.0; // the weight of the known entries before `last`
    for (; last < end && left + share * sieve.missing_before[last] < least; ++last)
        left += sieve.weight[last];
    first = last;
    while (last < end && left + sieve.weight[last] + share * sieve.missing_before[last] <= all - least)
        left += sieve.weight[last++];
    const double least_left = left + (last > begin ? share * sieve.missing_before[last - 1] : 0.0);
    if (least_left > all - least)
        return {};
    return {static_cast<int64_t>(first - begin), static_cast<int64_t>(last - begin) + 1};
}

/// So many cuts at least leave the weight `least` on both sides in a branch: those between two of its values
/// and the values of the entries with a missing cell that lie between these.
int64_t Rows::Grower::sure_cuts(double share, size_t branch, double least, const Sieve &sieve) const {
    const auto first = static_cast<size_t>(sieve.first[branch]), end = static_cast<size_t>(sieve.end[branch]);
    size_t low = first, high = end;
    double left = 0.0, right = 0.0;
    for (double known = 0.0; low < end && left < least; ++low) {
        known += sieve.weight[low];
        left = known + share * sieve.missing_before[low];
    }
    for (double known = 0.0; high > first && right < least; --high) {
        known += sieve.weight[high - 1];
        right = known + share * (sieve.missing_weight - sieve.missing_before[high - 1]);
    }
    if (left < least || right < least || low > high || sieve.value[low - 1] == sieve.value[high])
        return 0;
    const auto &values = sieve.missing_values;
    return 1 + (std::lower_bound(values.begin(), values.end(), sieve.value[high]) -
                std::upper_bound(values.begin(), values.end(), sieve.value[low - 1]));
}

/// No cut of a branch gains more than so many bits, times the weight of the node: entropies, times weights,
/// of parts of a set are no more together than that of the set, so that those with a missing cell can only
/// add to what is left on either side.
template <typename R>
double Rows::Grower::most_bits(const Packing<R> &packing, double share, size_t branch, const Range &possible,
                               Sieve &sieve) const {
    const auto first = sieve.first[branch], n = sieve.end[branch] - first;
    const R *const records = sieve.records<R>().data() + first;
    sieve.none.assign(sieve.missing.size(), 0.0);
    sieve.known.assign(sieve.missing.size(), 0.0);
    for (int64_t i = 0; i < n; ++i)
        sieve.known[packing.class_code(records[i])] += sieve.weight[static_cast<size_t>(first + i)];
    sieve.all = sieve.known;
    for (size_t c = 0; c < sieve.all.size(); ++c)
        sieve.all[c] += share * sieve.missing[c];
    double most = purity(Measure::entropy, sieve.known); // of a cut beside all known entries
    if (const Range cuts{possible.first, std::min(possible.last, n)}; cuts.first < cuts.last) {
        rate_cuts(Measure::entropy, records, packing, sieve.weight.data(), cuts, sieve.none, sieve.known,
                  sieve.rough);
        const double weight = std::accumulate(sieve.known.begin(), sieve.known.end(), 0.0);
        for (const float best : sieve.rough.best)
            most = std::max(most, (static_cast<double>(best) + sieve.rough.slack) * weight);
    }
    return (most - purity(Measure::entropy, sieve.all)) / std::log(2.0);
}

/// Keeps the branches that no threshold divides, or so many that none can pay for the number of the others.
template <typename R>
void Rows::Grower::sift_by_numbers(const State &s, const std::vector<R> &records,
                                   const State::Ordered &feature, const Summaries &summaries,
                                   Sieve &sieve) const {
    if (sieve.branches.empty())
        return;
    list_by_branch(s, records, feature, sieve);
    std::erase_if(sieve.branches, [&](size_t b) {
        const double least =
            rule_.enough(std::max(rule_.min_cases, rule_.min_split(summaries.weight[b], s.width))) *
            (1.0 + rounding);
        const Range possible =
            possible_cuts(s.shares[b], b, rule_.enough(rule_.min_cases) * (1.0 - rounding), sieve);
        if (possible.first == possible.last)
            return false;
        const int64_t cuts = sure_cuts(s.shares[b], b, least, sieve);
        if (cuts == 0)
            return true;
        const double bits = std::log2(static_cast<double>(cuts)) * (1.0 - rounding);
        sieve.is_cut[b] = most_bits(s.packing<R>(), s.shares[b], b, possible, sieve) < bits;
        return sieve.is_cut[b] == 0;
    });
}

} // namespace deciduous
