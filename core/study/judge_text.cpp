#include "core/study/judge_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "core/study/claim_rules.h"
#include "core/study/statistics.h"

namespace highwater::study {

namespace {

using base::Interval;
using Compare = Condition::Compare;

bool comparesStatus(Compare compare) {
    return compare == Compare::OutOfMemory || compare == Compare::Done || compare == Compare::Refused;
}

Interval intervalOf(const Quantity& quantity, const Evidence& evidence) {
    return base::medianWithInterval(valuesOf(quantity, evidence));
}

std::string ratioText(double ratio) {
    return ratio >= 100 ? fmt::format("{:.0f}", ratio) : fmt::format("{:.2f}", ratio);
}

std::string statusText(const Condition& c, const Claim& claim, const Evidences& evidences) {
    if (c.compare == Compare::Refused) {
        const auto why = claim.refused.find(c.left);
        return why == claim.refused.end() ? fmt::format("\"{}\" is accepted.", c.left)
                                          : fmt::format("\"{}\" is refused: {}.", c.left, why->second);
    }
    const Evidence* left = evidences.find(c.left);
    if (left && left->measured.status == wire::RunStatus::OutOfMemory) {
        return fmt::format("\"{}\" ran out of memory: {}.", c.left, left->measured.why);
    }
    return fmt::format("\"{}\" ran to its end.", c.left);
}

/// The figure for a sentence's placeholder; std::nullopt if it was not measured.
std::optional<std::string> figureAt(const Place& place, const Claim& claim, const Evidences& evidences) {
    if (place.reason) {
        const auto why = claim.refused.find(place.left);
        return why == claim.refused.end() ? std::nullopt : std::optional(why->second);
    }
    const Evidence* left = evidences.find(place.left);
    const Evidence* right = place.operation ? evidences.find(place.right) : left;
    if (!left || !right) {
        return {};
    }
    const auto a = valuesOf(place.quantity, *left), b = valuesOf(place.quantity, *right);
    if (a.empty() || b.empty()) {
        return {};
    }
    const double x = base::median(a), y = base::median(b);
    if (place.operation == 0) {
        return formatValue(place.quantity, x);
    }
    if (place.operation == '-') {
        return formatValue(place.quantity, x - y);
    }
    const Paired pair = paired(a, b);
    const double ratio = pair.ratio.n > 0 ? pair.ratio.median : x / y;
    if (!std::isfinite(ratio)) {
        return {};
    }
    return place.operation == '/' ? ratioText(ratio) : fmt::format("{:.0f} %", 100 * (1 - ratio));
}

struct Difference {
    std::string name;
    base::Bytes left = 0, right = 0;
    base::Bytes size() const { return std::abs(left - right); }
};

Difference largestCategory(const wire::RunResult& left, const wire::RunResult& right) {
    Difference largest;
    for (const memory::Category category : memory::kCategories) {
        Difference one{std::string(memory::categoryKey(category)), left.peakByCategory[category],
                       right.peakByCategory[category]};
        std::replace(one.name.begin(), one.name.end(), '_', ' ');
        if (one.size() > largest.size()) {
            largest = one;
        }
    }
    return largest;
}

/// The layer with the largest difference among those that both have.
Difference largestLayer(const wire::RunResult& left, const wire::RunResult& right) {
    Difference largest;
    for (const wire::LayerCost& a : left.layers) {
        for (const wire::LayerCost& b : right.layers) {
            if (a.name == b.name && a.type != "block" && b.type != "block") {
                const Difference one{a.name, a.activationBytes, b.activationBytes};
                if (one.size() > largest.size()) {
                    largest = one;
                }
            }
        }
    }
    return largest;
}

class Figures {
public:
    void value(const Quantity& quantity, const Evidence* evidence, const std::string& at) {
        if (!evidence) {
            return;
        }
        if (const Interval interval = intervalOf(quantity, *evidence); interval.n > 0) {
            add({evidence->name, toText(quantity), std::string(unitOf(quantity)), interval, at});
        }
    }
    void ratio(const Condition& c, const Tested& tested, const std::string& at) {
        if (tested.ratio.n == 0 || c.right.empty()) {
            return;
        }
        Interval interval = tested.ratio;
        interval.median *= c.factor, interval.low *= c.factor, interval.high *= c.factor;
        add({fmt::format("{} / {}", c.left, c.right), toText(c.quantity), "", interval, at});
    }
    std::vector<Figure> take() { return std::move(figures_); }

private:
    void add(Figure figure) {
        const bool there = std::any_of(figures_.begin(), figures_.end(), [&](const Figure& other) {
            return other.label == figure.label && other.quantity == figure.quantity && other.at == figure.at;
        });
        if (!there) {
            figures_.push_back(std::move(figure));
        }
    }
    std::vector<Figure> figures_;
};

}  // namespace

std::string conditionText(const Condition& c, const Tested& tested, const Claim& claim,
                          const Evidences& evidences) {
    if (comparesStatus(c.compare)) {
        return statusText(c, claim, evidences);
    }
    const Interval left = intervalOf(c.quantity, *evidences.find(c.left));
    std::string words = wordsOf(c.quantity);
    words[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(words[0])));
    std::string text = fmt::format("{}: {} ({})", words, formatValue(c.quantity, left.median), c.left);
    if (c.right.empty()) {
        return text + fmt::format(" against {}.", formatValue(c.quantity, c.number));
    }
    const Quantity& other = c.rightQuantity ? *c.rightQuantity : c.quantity;
    const Interval right = intervalOf(other, *evidences.find(c.right));
    text += fmt::format(" against {} ({})", formatValue(other, right.median),
                        c.rightQuantity ? wordsOf(other) : c.right);
    if (tested.ratio.n == 0) {
        return text + ".";
    }
    text += fmt::format(", {} times", ratioText(tested.ratio.median * c.factor));
    if (tested.ratio.n > 1) {
        text += fmt::format(" (95 %: {} to {})", ratioText(tested.ratio.low * c.factor),
                            ratioText(tested.ratio.high * c.factor));
    }
    return text + ".";
}

std::string numbersOf(const Claim& claim, Verdict verdict, const std::vector<Tested>& tested,
                      const Evidences& evidences) {
    std::string text;
    for (std::size_t i = 0; i < tested.size(); ++i) {
        if (verdict == Verdict::Holds || tested[i].outcome != Outcome::Met) {
            text +=
                (text.empty() ? "" : " ") + conditionText(claim.conditions[i], tested[i], claim, evidences);
        }
    }
    return text;
}

std::string numbersAlong(const Claim& claim, const std::vector<Evidences>& all) {
    const auto condition = std::find_if(claim.conditions.begin(), claim.conditions.end(),
                                        [](const Condition& c) { return !comparesStatus(c.compare); });
    std::string text;
    for (const Evidences& evidences : all) {
        if (condition != claim.conditions.end()) {
            text +=
                fmt::format("{}At {} {}: {}", text.empty() ? "" : " ", claim.along->words, evidences.at,
                            conditionText(*condition, test(*condition, claim, evidences), claim, evidences));
        }
    }
    return text;
}

std::string noiseText(const Claim& claim, const std::vector<Tested>& tested, const Evidences& evidences) {
    std::string text = "The difference lies within the noise.";
    for (std::size_t i = 0; i < tested.size(); ++i) {
        if (tested[i].outcome == Outcome::Noise) {
            text += " " + conditionText(claim.conditions[i], tested[i], claim, evidences);
        }
    }
    return text;
}

std::vector<Figure> figuresOf(const Claim& claim, const std::vector<Evidences>& all,
                              const std::vector<std::vector<Tested>>& tested) {
    Figures figures;
    for (std::size_t i = 0; i < all.size(); ++i) {
        for (std::size_t n = 0; n < claim.conditions.size(); ++n) {
            const Condition& c = claim.conditions[n];
            const Evidence* left = all[i].find(c.left);
            if (left && left->chosen) {
                figures.value({Quantity::Kind::Chosen, ""}, left, all[i].at);
            }
            if (comparesStatus(c.compare)) {
                continue;
            }
            figures.value(c.quantity, left, all[i].at);
            if (c.right.empty()) {
                continue;
            }
            const Evidence* right = all[i].find(c.right);
            if (right && right->chosen) {
                figures.value({Quantity::Kind::Chosen, ""}, right, all[i].at);
            }
            figures.value(c.rightQuantity.value_or(c.quantity), right, all[i].at);
            figures.ratio(c, tested[i][n], all[i].at);
        }
    }
    return figures.take();
}

std::optional<std::string> filled(const std::string& text, const Claim& claim, const Evidences& evidences) {
    std::string out;
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t end = text[i] == '{' ? text.find('}', i) : std::string::npos;
        if (end == std::string::npos) {
            out += text[i++];
            continue;
        }
        const auto place = parsePlace(std::string_view(text).substr(i + 1, end - i - 1));
        const auto figure = place ? figureAt(*place, claim, evidences) : std::nullopt;
        if (!figure) {
            return {};
        }
        out += *figure;
        i = end + 1;
    }
    return out;
}

std::string ledgerEvidence(const Evidence& left, const Evidence& right) {
    const wire::RunResult& a = left.measured.result;
    const wire::RunResult& b = right.measured.result;
    if (a.peakAllocated == 0 || b.peakAllocated == 0) {
        return "";
    }
    const Difference category = largestCategory(a, b);
    if (category.size() == 0) {
        return fmt::format("At the peak the two ledgers are equal in every category, {} in all.",
                           base::formatBytes(a.peakAllocated));
    }
    if (100 * category.size() < std::max(a.peakAllocated, b.peakAllocated)) {
        return fmt::format("At the peak no category differs by more than {}.",
                           base::formatBytes(category.size()));
    }
    std::string text = fmt::format("At the peak the largest difference is in {}: {} ({}) against {} ({})",
                                   category.name, base::formatBytes(category.left), left.name,
                                   base::formatBytes(category.right), right.name);
    const Difference layer = largestLayer(a, b);
    if (category.name == "activations" && layer.size() > 0) {
        text += fmt::format("; of the layers it is `{}`, which keeps {} against {}", layer.name,
                            base::formatBytes(layer.left), base::formatBytes(layer.right));
    }
    return text + ".";
}

}  // namespace highwater::study
