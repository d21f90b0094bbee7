#include "contest.hpp"

#include <algorithm>

namespace deciduous {
namespace {

using std::int64_t;
using std::size_t;

constexpr double none = -HUGE_VAL;

/// What a column has to offer: its gain less what it pays, and what it is compared by; -inf: no candidate.
struct Offer {
    double gain = none, score = none, information = 0.0;
};

Offer offer_of(const Contest &contest, const Found &found, bool pays, double weight, double band) {
    if (found.kind == SplitKind::leaf)
        return {};
    const bool threshold = found.kind == SplitKind::threshold;
    const double bits =
        pays && threshold ? std::log2(static_cast<double>(std::max<int64_t>(found.tried, 1))) : 0.0;
    Offer offer{found.gain - bits / weight, none, found.information};
    if (threshold && (pays || contest.numbers_need_gain) && offer.gain <= band)
        return offer;
    if (!contest.ratio)
        offer.score = offer.gain;
    else if (offer.information > 0.0)
        offer.score = offer.gain / offer.information;
    return offer;
}

/// Whether a column has enough to win.
bool is_eligible(const Contest &contest, const Offer &offer, double band, double min_gain) {
    if (offer.score == none ||
        (contest.least_information > 0.0 && offer.information <= contest.least_information))
        return false;
    const bool enough = offer.gain >= min_gain - band;
    if (!std::isnan(contest.least_score))
        return (min_gain == 0.0 || enough) && offer.score > contest.least_score;
    return enough && ((!contest.ratio && contest.zero_gain) || offer.gain > band);
}

/// The least gain that the guard lets pass: the average, but for the slack; NaN if no column enters it.
double guarded(const Contest &contest, std::span<const Offer> offers, double band) {
    const bool all = std::find(contest.counts.begin(), contest.counts.end(), 1) == contest.counts.end();
    double sum = 0.0;
    int64_t n = 0;
    for (size_t j = 0; j < offers.size(); ++j)
        if (offers[j].score > none && offers[j].gain > contest.least_gain && (all || contest.counts[j])) {
            sum += offers[j].gain;
            ++n;
        }
    if (n == 0)
        return std::nan("");
    return sum / static_cast<double>(n) - (contest.guard_slack < 0.0 ? band : contest.guard_slack);
}

} // namespace

int64_t winner_of(const Contest &contest, const Rivals &rivals, bool pays, double weight, double band,
                  double min_gain) {
    std::vector<Offer> offers;
    for (size_t j = 0; j < rivals.n; ++j)
        offers.push_back(offer_of(contest, rivals[j], pays, weight, band));
    const bool guards = contest.ratio && contest.guard;
    const double least = guards ? guarded(contest, offers, band) : 0.0;
    for (Offer &offer : offers)
        if (!is_eligible(contest, offer, band, min_gain) || (guards && !(offer.gain >= least)))
            offer.score = none;
    const double ratio_band = contest.band < 0.0 ? contest.tie : contest.band;
    int64_t kept = -1;
    if (contest.in_turn) {
        for (size_t j = 0; j < offers.size(); ++j)
            if (offers[j].score > none &&
                (kept < 0 || offers[j].score - ratio_band > offers[static_cast<size_t>(kept)].score))
                kept = static_cast<int64_t>(j);
        return kept;
    }
    double best = none;
    for (const Offer &offer : offers)
        best = std::max(best, offer.score);
    const auto ties = [&](const Offer &offer) {
        return offer.score > none && offer.score >= best - (contest.ratio ? ratio_band : band);
    };
    const auto first = std::find_if(offers.begin(), offers.end(), ties);
    return first == offers.end() ? -1 : first - offers.begin();
}

} // namespace deciduous
