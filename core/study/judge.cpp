#include "core/study/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "core/study/claim_rules.h"
#include "core/study/judge_text.h"
#include "core/study/statistics.h"

namespace highwater::study {

namespace {

using base::Error;
using base::Interval;
using Compare = Condition::Compare;
using Kind = Quantity::Kind;

constexpr double kRounding = 1e-9;  // relative rounding error; bytes and losses that differ, differ by more

Outcome decide(Compare compare, double low, double high, double under, double over) {
    const bool inside = low >= under - kRounding && high <= over + kRounding;
    const bool outside = high < under - kRounding || low > over + kRounding;
    switch (compare) {
        case Compare::Less:
            return high < under - kRounding   ? Outcome::Met
                   : low >= under - kRounding ? Outcome::NotMet
                                              : Outcome::Noise;
        case Compare::Greater:
            return low > over + kRounding     ? Outcome::Met
                   : high <= over + kRounding ? Outcome::NotMet
                                              : Outcome::Noise;
        case Compare::Equal:
            return inside || (low <= 1 && high >= 1) ? Outcome::Met
                   : outside                         ? Outcome::NotMet
                                                     : Outcome::Noise;
        default:
            return outside ? Outcome::Met : inside ? Outcome::NotMet : Outcome::Noise;
    }
}

Outcome decideRatio(const Condition& c, const Interval& ratio) {
    return decide(c.compare, ratio.low, ratio.high, 1 - c.margin, 1 + c.margin);
}

/// Decides without a ratio, if a value is zero or below: from the difference of left and right, relative to
/// the larger one, plus 1, so that 1 means equal.
Outcome decideDifference(const Condition& c, const Interval& left, const Interval& right) {
    const double scale = std::max({std::fabs(right.median), std::fabs(left.median), 1e-300});
    return decide(c.compare, 1 + (left.low - right.high) / scale, 1 + (left.high - right.low) / scale,
                  1 - c.margin, 1 + c.margin);
}

Interval scaled(Interval interval, double factor) {
    interval.median /= factor, interval.low /= factor, interval.high /= factor;
    return interval;
}

Tested compareValues(const Condition& c, const Evidences& evidences) {
    const auto left = valuesOf(c.quantity, *evidences.find(c.left));
    const Interval ofLeft = base::medianWithInterval(left);
    if (c.right.empty()) {
        if (c.number > 0 && ofLeft.median > 0 && ofLeft.low > 0) {
            const Interval ratio = scaled(ofLeft, c.number);
            return {decideRatio(c, ratio), ratio};
        }
        return {decideDifference(c, ofLeft, {c.number, c.number, c.number, 1}), {}};
    }
    const auto right = valuesOf(c.rightQuantity.value_or(c.quantity), *evidences.find(c.right));
    if (const Paired pair = paired(left, right); pair.ratio.n > 0) {
        const Interval ratio = scaled(pair.ratio, c.factor);
        return {decideRatio(c, ratio), ratio};
    }
    return {decideDifference(c, ofLeft, scaled(base::medianWithInterval(right), 1 / c.factor)), {}};
}

/// Error if an experiment that the comparison needs was not done or has no values.
base::Status answerable(const Condition& c, const Evidences& evidences) {
    const auto check = [&](const std::string& name, const Quantity& quantity) -> base::Status {
        const Evidence* evidence = evidences.find(name);
        if (!evidence || evidence->measured.status == wire::RunStatus::Cancelled) {
            return Error{fmt::format("\"{}\" was not run", name)};
        }
        if (evidence->measured.status != wire::RunStatus::Done) {
            return Error{fmt::format("\"{}\" did not end: {}", name, evidence->measured.why)};
        }
        if (valuesOf(quantity, *evidence).empty()) {
            return Error{fmt::format("\"{}\" has no {}: it was not measured here", name, wordsOf(quantity))};
        }
        return {};
    };
    if (c.compare == Compare::Refused) {
        return {};
    }
    if (c.compare == Compare::Done || c.compare == Compare::OutOfMemory) {
        const Evidence* evidence = evidences.find(c.left);
        if (!evidence || evidence->measured.status == wire::RunStatus::Cancelled) {
            return Error{fmt::format("\"{}\" was not run", c.left)};
        }
        if (evidence->measured.status == wire::RunStatus::Failed) {
            return Error{fmt::format("\"{}\" did not end: {}", c.left, evidence->measured.why)};
        }
        return {};
    }
    HIGHWATER_TRY(check(c.left, c.quantity));
    return c.right.empty() ? base::Status() : check(c.right, c.rightQuantity.value_or(c.quantity));
}

struct At {
    std::vector<Tested> tested;  ///< one for each condition
    bool met() const {
        return std::all_of(tested.begin(), tested.end(),
                           [](const Tested& t) { return t.outcome == Outcome::Met; });
    }
    bool onlyNoise() const {
        return !met() && std::none_of(tested.begin(), tested.end(),
                                      [](const Tested& t) { return t.outcome == Outcome::NotMet; });
    }
};

Verdict verdictOf(const Claim& claim, const std::vector<At>& at) {
    const auto met = std::count_if(at.begin(), at.end(), [](const At& one) { return one.met(); });
    if (met == static_cast<std::ptrdiff_t>(at.size()) ||
        (met > 0 && claim.along && claim.along->anyIsEnough)) {
        return Verdict::Holds;
    }
    return met == 0 ? Verdict::DoesNotHold : Verdict::Depends;
}

std::string listOf(const std::vector<Evidences>& all, const std::vector<At>& at, bool met) {
    std::string text;
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (at[i].met() == met) {
            text += (text.empty() ? "" : ", ") + all[i].at;
        }
    }
    return text;
}

/// The boundary as text: "up to batch size 4; not from 8".
std::string boundaryOf(const Claim& claim, const std::vector<Evidences>& all, const std::vector<At>& at) {
    const std::string& words = claim.along->words;
    std::size_t changes = 0, last = 0;
    for (std::size_t i = 1; i < at.size(); ++i) {
        if (at[i].met() != at[i - 1].met()) {
            ++changes;
            last = i;
        }
    }
    if (changes != 1 || claim.along->anyIsEnough) {
        return fmt::format("at {} {}; not at {}", words, listOf(all, at, true), listOf(all, at, false));
    }
    return at[0].met() ? fmt::format("up to {} {}; not from {}", words, all[last - 1].at, all[last].at)
                       : fmt::format("from {} {}; not up to {}", words, all[last].at, all[last - 1].at);
}

/// The index along the axis that the sentence is about. For "holds" the last value that meets the conditions;
/// for "depends" the first that does not; otherwise the last.
std::size_t toldAt(Verdict verdict, const std::vector<At>& at) {
    for (std::size_t i = at.size(); i-- > 0 && verdict == Verdict::Holds;) {
        if (at[i].met()) {
            return i;
        }
    }
    for (std::size_t i = 0; i < at.size() && verdict == Verdict::Depends; ++i) {
        if (!at[i].met()) {
            return i;
        }
    }
    return at.size() - 1;
}

bool supported(const Sentence& sentence, const Claim& claim, const Evidences& evidences) {
    return std::all_of(sentence.given.begin(), sentence.given.end(), [&](const Condition& c) {
        return answerable(c, evidences) && test(c, claim, evidences).outcome == Outcome::Met;
    });
}

std::optional<std::string> sentenceOf(const Claim& claim, Verdict verdict, const Evidences& evidences) {
    const auto& sentences = verdict == Verdict::Holds         ? claim.holdsBecause
                            : verdict == Verdict::DoesNotHold ? claim.failsBecause
                                                              : claim.dependsBecause;
    for (const Sentence& sentence : sentences) {
        if (supported(sentence, claim, evidences)) {
            if (auto text = filled(sentence.text, claim, evidences)) {
                return text;
            }
        }
    }
    return {};
}

/// Evidence from the ledger for the first condition that decided the verdict by comparing peaks.
std::string evidenceOf(const Claim& claim, Verdict verdict, const At& at, const Evidences& evidences) {
    for (std::size_t i = 0; i < claim.conditions.size(); ++i) {
        const Condition& c = claim.conditions[i];
        const bool decided = verdict == Verdict::Holds || at.tested[i].outcome != Outcome::Met;
        if (decided && c.quantity.kind == Kind::PeakAllocated && !c.right.empty() && c.right != c.left &&
            !c.rightQuantity && evidences.find(c.left) && evidences.find(c.right)) {
            return ledgerEvidence(*evidences.find(c.left), *evidences.find(c.right));
        }
    }
    return "";
}

std::string whyOf(const Claim& claim, const Finding& finding, const std::vector<Evidences>& all,
                  const std::vector<At>& at) {
    const std::size_t told = toldAt(finding.verdict, at);
    std::string why;
    if (finding.noise) {
        why = noiseText(claim, at[told].tested, all[told]);  // within the noise no reason can be given
    } else if (const auto sentence = sentenceOf(claim, finding.verdict, all[told])) {
        why = *sentence;
    } else if (finding.verdict == Verdict::Depends) {
        why = numbersAlong(claim, all);
    } else {
        why = numbersOf(claim, finding.verdict, at[told].tested, all[told]);
    }
    const std::string evidence = evidenceOf(claim, finding.verdict, at[told], all[told]);
    if (!evidence.empty()) {
        why += (why.empty() ? "" : " ") + evidence;
    }
    return base::oneLine(why, 4000);
}

}  // namespace

const Evidence* Evidences::find(std::string_view name) const {
    const auto found = std::find_if(of.begin(), of.end(),
                                    [name](const Evidence& evidence) { return evidence.name == name; });
    return found == of.end() ? nullptr : &*found;
}

Tested test(const Condition& c, const Claim& claim, const Evidences& evidences) {
    const auto of = [](bool met) { return Tested{met ? Outcome::Met : Outcome::NotMet, {}}; };
    if (c.compare == Compare::Refused) {
        return of(claim.refused.contains(c.left));
    }
    const Evidence* left = evidences.find(c.left);
    if (c.compare == Compare::Done || c.compare == Compare::OutOfMemory) {
        return of(left &&
                  left->measured.status ==
                      (c.compare == Compare::Done ? wire::RunStatus::Done : wire::RunStatus::OutOfMemory));
    }
    return answerable(c, evidences) ? compareValues(c, evidences) : of(false);
}

base::Result<Finding> judge(const Claim& claim, const std::vector<Evidences>& all) {
    if (all.empty() || claim.conditions.empty()) {
        return Error{fmt::format("{}: nothing was measured", claim.id)};
    }
    std::vector<At> at;
    for (const Evidences& evidences : all) {
        at.emplace_back();
        for (const Condition& c : claim.conditions) {
            HIGHWATER_TRY(base::prefixed(claim.id, answerable(c, evidences)));
            at.back().tested.push_back(test(c, claim, evidences));
        }
    }
    Finding finding;
    finding.id = claim.id;
    finding.verdict = verdictOf(claim, at);
    const bool someMet = std::any_of(at.begin(), at.end(), [](const At& one) { return one.met(); });
    if (claim.along && someMet &&
        (finding.verdict == Verdict::Depends ||
         (claim.along->anyIsEnough &&
          !std::all_of(at.begin(), at.end(), [](const At& one) { return one.met(); })))) {
        finding.boundary = boundaryOf(claim, all, at);
    }
    finding.noise = finding.verdict == Verdict::DoesNotHold &&
                    std::all_of(at.begin(), at.end(), [](const At& one) { return one.onlyNoise(); });
    finding.why = whyOf(claim, finding, all, at);
    std::vector<std::vector<Tested>> tested;
    for (const At& one : at) {
        tested.push_back(one.tested);
    }
    finding.figures = figuresOf(claim, all, tested);
    return finding;
}

}  // namespace highwater::study
