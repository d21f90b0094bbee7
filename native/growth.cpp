#include "grower.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>

namespace deciduous {

using std::int32_t;
using std::int64_t;
using std::size_t;
using std::uint64_t;
using std::uint8_t;

namespace {

/// The impurity of class weights, as measures.py has it.
double impurity_of(Measure measure, std::span<const double> weights, double total) {
    if (!(total > 0.0))
        return 0.0;
    double impurity = measure == Measure::misclassification ? 1.0 : 0.0;
    for (const double w : weights) {
        const double p = w / total;
        if (measure == Measure::gini)
            impurity += p * (1.0 - p);
        else if (measure == Measure::entropy)
            impurity -= x_log_x(p) / std::log(2.0);
        else
            impurity = std::min(impurity, 1.0 - p);
    }
    return std::max(impurity, 0.0);
}

/// The first branch whose weight is the largest, up to rounding (missing/shares.py).
int32_t heaviest(std::span<const double> weights, double tie) {
    const double most = *std::max_element(weights.begin(), weights.end());
    const auto is_heaviest = [&](double w) { return w >= most * (1.0 - tie); };
    return static_cast<int32_t>(std::find_if(weights.begin(), weights.end(), is_heaviest) - weights.begin());
}

} // namespace

// --- what becomes of a node ------------------------------------------------------------------------------

/// Says why a new node is a leaf before any split is looked for, if it is one: the twin of grow/stopping.py.
/// `heaviest`: the weight of its heaviest class.
void Rows::Grower::stop(Node &node, int64_t depth, bool pure, double heaviest) const {
    const double nothing = growth_.contest ? growth_.contest->nothing : 0.0;
    if (node.rows == 0 || node.weight < nothing)
        node.reason = Reason::empty;
    else if (pure || (nothing > 0.0 && heaviest > node.weight - nothing))
        node.reason = Reason::pure;
    else if (depth >= growth_.max_depth)
        node.reason = Reason::max_depth;
    else if (node.rows < growth_.min_samples_split)
        node.reason = Reason::min_samples_split;
    else if (growth_.contest && node.weight < growth_.contest->least_weight && !records())
        node.reason = Reason::no_candidate;
}

/// The first of the columns within the band of the best gain, or none: the twin of search/choose.py where
/// columns compete by gain alone.
int64_t Rows::Grower::winner(const Node &node, const Rivals &rivals, double least) const {
    const double band = band_of(node);
    const auto competes = [&](const Found &f) {
        return f.kind != SplitKind::leaf && f.gain >= least - band && (growth_.zero_gain || f.gain > band);
    };
    double best = -HUGE_VAL;
    for (size_t j = 0; j < rivals.n; ++j)
        if (competes(rivals[j]))
            best = std::max(best, rivals[j].gain);
    for (size_t j = 0; j < rivals.n && best > -HUGE_VAL; ++j)
        if (competes(rivals[j]) && rivals[j].gain >= best - band)
            return static_cast<int64_t>(j);
    return none;
}

/// The threshold of a split that was described: the twin of `threshold_between` of search/thresholds.py.
double Rows::Grower::threshold_of(size_t column, const Description &description) const {
    const double middle = description.threshold();
    if (growth_.training_values.empty() || growth_.training_values[column].empty())
        return middle;
    const auto values = growth_.training_values[column];
    const auto above = std::upper_bound(values.begin(), values.end(), middle);
    return above == values.begin() ? middle : *(above - 1);
}

/// The winner of n splits, or none: the twin of search/choose.py, and of the bar that grow/grower.py sets
/// after it.
int64_t Rows::Grower::choose(const Node &node, std::span<const Found> found, size_t n, size_t stride,
                             Reason &reason) const {
    const double band = band_of(node), unit = unit_of(node),
                 least = growth_.min_gain > 0.0 ? growth_.min_gain / unit : 0.0;
    const Rivals rivals{found, n, stride};
    const int64_t column =
        growth_.contest
            ? winner_of(*growth_.contest, rivals, rule_.conventions.counts_cuts, node.weight, band, least)
            : winner(node, rivals, least);
    if (column == none) {
        bool any = false;
        for (size_t j = 0; j < n; ++j)
            any |= rivals[j].kind != SplitKind::leaf;
        reason = any ? Reason::no_gain : Reason::no_candidate;
        return none;
    }
    const double bar = growth_.min_impurity_decrease, gain = rivals[static_cast<size_t>(column)].gain * unit,
                 decrease = (std::abs(gain) <= band * unit ? 0.0 : gain) * node.weight;
    if (bar > 0.0 && decrease / total_weight_ < bar - growth_.tie * std::max(node.impurity * unit, bar)) {
        reason = Reason::min_impurity_decrease;
        return none;
    }
    return column;
}

/// Writes down the split of a node.
void Rows::Grower::take_split(Nursery &nursery, int64_t node, size_t column, const Found &found,
                              double threshold, std::span<const double> weights,
                              std::span<const int32_t> category_branch) {
    Split split;
    split.column = static_cast<int32_t>(column);
    split.kind = found.kind;
    split.exact = found.exact;
    split.gain = found.gain;
    split.index = found.index;
    split.missing_branch = found.missing_branch;
    split.n_branches = static_cast<int32_t>(weights.size());
    split.threshold = found.kind == SplitKind::threshold ? threshold : std::nan("");
    split.branches = std::ssize(nursery.branch_weight);
    split.categories = std::ssize(nursery.category_branch);
    split.n_categories = std::ssize(category_branch);
    nursery.branch_weight.insert(nursery.branch_weight.end(), weights.begin(), weights.end());
    nursery.category_branch.insert(nursery.category_branch.end(), category_branch.begin(),
                                   category_branch.end());
    nursery.nodes[static_cast<size_t>(node)].split = std::ssize(nursery.splits);
    nursery.splits.push_back(split);
}

/// `shares`: memory for those of the missing cells, where rows go in parts.
Question Rows::Grower::question_of(const Nursery &nursery, const Split &split,
                                   std::vector<double> &shares) const {
    const State::Asked &asked = s_.asked[static_cast<size_t>(split.column)];
    Question question;
    question.feature = asked.is_nominal ? s_.nominal[asked.at].feature : s_.ordered[asked.at].feature;
    question.kind = split.kind;
    question.threshold = split.threshold;
    question.index = split.kind == SplitKind::threshold && !s_.in_parts ? split.index : -1;
    question.n_branches = split.n_branches;
    const auto weights =
        std::span(nursery.branch_weight)
            .subspan(static_cast<size_t>(split.branches), static_cast<size_t>(split.n_branches));
    if (s_.in_parts) {
        const double known = std::accumulate(weights.begin(), weights.end(), 0.0);
        shares.assign(weights.begin(), weights.end());
        for (double &share : shares)
            share = known > 0.0 ? share / known : 1.0 / static_cast<double>(shares.size());
        question.shares = shares;
    } else {
        question.missing_branch =
            split.missing_branch >= 0 ? split.missing_branch : heaviest(weights, growth_.tie);
    }
    question.branch_of_code =
        std::span(nursery.category_branch)
            .subspan(static_cast<size_t>(split.categories), static_cast<size_t>(split.n_categories));
    return question;
}

/// Adds the branches of a node, n of those summarised from `first` on, to a nursery; those that are to be
/// searched are opened, without their rows.
void Rows::Grower::add_children(const Open &parent, Nursery &nursery, const Summaries &summaries,
                                std::span<const int64_t> rows, size_t first, size_t n,
                                std::vector<Open> &open, std::vector<uint8_t> &kept) {
    for (size_t b = first; b < first + n; ++b) {
        Node node;
        node.rows = rows[b];
        node.weight = summaries.weight[b];
        double heaviest_class = 0.0;
        if (s_.has_classes()) {
            const auto line = std::span(summaries.classes).subspan(b * s_.width, s_.width);
            node.impurity = impurity_of(rule_.measure, line, node.weight);
            heaviest_class = *std::max_element(line.begin(), line.end());
            nursery.classes.insert(nursery.classes.end(), line.begin(), line.end());
        } else {
            node.value = summaries.value[b];
            node.impurity = summaries.impurity[b];
            node.centre = summaries.centre[b];
            node.scale = summaries.scale[b];
        }
        stop(node, parent.depth, summaries.pure[b] != 0, heaviest_class);
        kept.push_back(node.reason == Reason::split);
        if (node.reason == Reason::split)
            open.push_back({std::ssize(nursery.nodes), {}, parent.depth});
        nursery.nodes.push_back(node);
    }
    count_for_record(static_cast<int64_t>(n), 0);
}

/// Ends the record of a tree that has become too large for it. Threads count no further then: they would wait
/// for one another's counts.
void Rows::Grower::count_for_record(int64_t nodes, int64_t cells) {
    if (!records())
        return;
    n_nodes_ += nodes;
    n_cells_ += cells;
    if (n_nodes_ > growth_.recorded_nodes || n_cells_ > growth_.recorded_cells)
        records_.store(false, std::memory_order_relaxed);
}

/// Gives back what was recorded before the tree became too large.
void Rows::Grower::drop_record_in_vain(Nursery &nursery) const {
    if (records() || nursery.found.empty())
        return;
    std::vector<std::vector<Found>>().swap(nursery.found);
    std::vector<std::vector<Description>>().swap(nursery.descriptions);
}

void Rows::Grower::record(Nursery &nursery, int64_t node, std::vector<Found> found,
                          std::vector<Description> descriptions) {
    int64_t cells = 0;
    for (const Description &d : descriptions)
        cells += std::ssize(d.lines);
    count_for_record(0, cells);
    nursery.nodes[static_cast<size_t>(node)].record = static_cast<int32_t>(nursery.found.size());
    nursery.found.push_back(std::move(found));
    nursery.descriptions.push_back(std::move(descriptions));
}

// --- large nodes -----------------------------------------------------------------------------------------

/// Adds the root.
void Rows::Grower::plant() {
    const Summaries summaries = rows_.root();
    std::vector<uint8_t> kept;
    add_children({}, top(), summaries, summaries.rows, 0, 1, level_, kept);
    if (!level_.empty())
        level_.front().segment = {0, s_.n};
    total_weight_ = top().nodes.front().weight;
    rule_.min_weight = growth_.min_weight_fraction * total_weight_;
    s_.look_up_logarithms(rule_);
}

/// Splits the large nodes of the level; the small ones are laid aside.
void Rows::Grower::grow_level() {
    drop_record_in_vain(top());
    const auto is_large = [](const Open &open) { return open.segment.size > small_rows; };
    const auto middle = std::stable_partition(level_.begin(), level_.end(), is_large);
    small_.insert(small_.end(), middle, level_.end());
    level_.erase(middle, level_.end());
    if (s_.in_parts) // else their rows would have to wait
        grow_small();
    if (level_.empty())
        return;
    const size_t n = level_.size();
    std::vector<Segment> segments;
    std::vector<double> weight, centre, scale, band, classes;
    for (const Open &open : level_) {
        const Node &node = top().nodes[static_cast<size_t>(open.node)];
        segments.push_back(open.segment);
        weight.push_back(node.weight);
        centre.push_back(node.centre);
        scale.push_back(node.scale);
        band.push_back(band_of(node));
        if (s_.has_classes()) {
            const auto line = top().classes.begin() + open.node * static_cast<int64_t>(s_.width);
            classes.insert(classes.end(), line, line + static_cast<int64_t>(s_.width));
        }
    }
    Batch batch{segments, weight, centre, scale, band, classes, {}, {}, {}};
    const bool recording = records();
    batch.only_winners = !recording && !growth_.contest;
    const std::vector<Found> found = rows_.best_splits(batch, rule_, recording);
    std::vector<std::pair<size_t, size_t>> chosen;
    std::vector<Open> parents;
    for (size_t k = 0; k < n; ++k) {
        Node &node = top().nodes[static_cast<size_t>(level_[k].node)];
        const int64_t column = choose(node, std::span(found).subspan(k), n_columns(), n, node.reason);
        if (column == none)
            continue;
        chosen.emplace_back(k, static_cast<size_t>(column));
        parents.push_back(level_[k]);
    }
    const std::vector<Description> descriptions = rows_.describe(batch, rule_, chosen, found);
    if (recording) {
        std::vector<Description> all = rows_.take_descriptions();
        for (size_t k = 0; k < n; ++k) {
            std::vector<Found> of_node;
            std::vector<Description> described;
            for (size_t j = 0; j < n_columns(); ++j) {
                of_node.push_back(found[j * n + k]);
                described.push_back(std::move(all[j * n + k]));
            }
            record(top(), level_[k].node, std::move(of_node), std::move(described));
        }
    }
    std::vector<Segment> divided;
    for (size_t i = 0; i < parents.size(); ++i) {
        const auto [k, column] = chosen[i];
        take_split(top(), parents[i].node, column, found[column * n + k], descriptions[i]);
        divided.push_back(parents[i].segment);
    }
    std::vector<Question> questions;
    std::vector<std::vector<double>> shares(parents.size());
    for (size_t i = 0; i < parents.size(); ++i) {
        const Node &parent = top().nodes[static_cast<size_t>(parents[i].node)];
        questions.push_back(question_of(top(), top().splits[static_cast<size_t>(parent.split)], shares[i]));
    }
    rows_.let_go(rows_.block(), static_cast<int64_t>(n - parents.size()));
    const Summaries summaries = rows_.divide(divided, questions);
    level_.clear();
    std::vector<uint8_t> kept;
    size_t first = 0;
    for (size_t i = 0; i < parents.size(); ++i) {
        const auto branches = static_cast<size_t>(questions[i].n_branches);
        Open parent = parents[i];
        ++parent.depth;
        top().nodes[static_cast<size_t>(parent.node)].first_child = std::ssize(top().nodes);
        add_children(parent, top(), summaries, summaries.rows, first, branches, level_, kept);
        first += branches;
    }
    const std::vector<Segment> places = rows_.keep(kept);
    for (size_t k = 0; k < level_.size(); ++k)
        level_[k].segment = places[k];
}

// --- all of it -------------------------------------------------------------------------------------------

GrownTree Rows::Grower::grow() {
    plant();
    coded_ = take_codes();
    if (!coded_)
        s_.sort_features();
    tiny_ = is_for_tiny();
    if (coded_)
        grow_coded();
    while (!level_.empty())
        grow_level();
    grow_small();
    return in_order();
}

/// Grows what lies below the small nodes.
void Rows::Grower::grow_small() {
    std::stable_sort(small_.begin(), small_.end(),
                     [](const Open &a, const Open &b) { return a.segment.size > b.segment.size; });
    int64_t rows = 0;
    for (const Open &open : small_)
        rows += open.segment.size;
    s_.share(small_.size(), rows * static_cast<int64_t>(n_columns()), [&](size_t i, size_t thread) {
        coded_ ? grow_coded_below(small_[i], thread) : grow_below(small_[i], thread);
    });
    if (s_.in_parts)
        rows_.let_go(rows_.block(), std::ssize(small_));
    small_.clear();
}

GrownTree Rows::grow(const Rule &rule, const Growth &growth) {
    return Grower(*this, rule, growth).grow();
}

} // namespace deciduous
