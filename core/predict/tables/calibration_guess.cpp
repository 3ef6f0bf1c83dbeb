#include "core/predict/tables/calibration_guess.h"

#include <algorithm>
#include <cmath>

namespace highwater::predict {

namespace {

constexpr std::size_t kEnough = 20;  // rows in a family
constexpr std::size_t kAlike = 48;   // about how many of a family's rows, adjacent in size, are compared
constexpr double kTail = 0.02;       // fraction of the rows that may lie outside the interval on each side
constexpr double kSlack = 0.03;      // slack of the interval's ends
constexpr double kFixed[] = {0, 4096, 16384};   // constant bytes per thread that are tried in addition to the
                                                // proportional part
constexpr base::Bytes kSmall = 1 * base::kKiB;  // size per thread of buffers of fixed size

/// The index in n sorted values such that a new value from the same distribution is below (above) it with
/// probability kTail.
std::size_t lowIndex(std::size_t n) {
    const double at = kTail * static_cast<double>(n + 1) - 1;
    return at <= 0 ? 0 : static_cast<std::size_t>(at);
}
std::size_t highIndex(std::size_t n) {
    return n - 1 - lowIndex(n);
}

base::Bytes toBytes(double bytes) {
    return static_cast<base::Bytes>(std::clamp(bytes, 0.0, 1e18));
}

}  // namespace

GuessModel::GuessModel(const CpuKey& key, const std::unordered_map<std::string, OpRow>& rows, double widening)
    : threads_(key.threads), onednn_(key.onednn != "off"), widening_(widening) {
    rows_.reserve(rows.size());
    for (const auto& [text, row] : rows) {
        rows_.emplace_back(text, highestTemporaries(row));
    }
}

void GuessModel::sortIntoFamilies() const {
    samples_.reserve(rows_.size());  // keeps pointers to elements valid
    for (const auto& [text, bytes] : rows_) {
        const auto key = parseConvKey(text);
        if (!key) {
            continue;
        }
        samples_.push_back({measuresOf(*key), static_cast<double>(bytes)});
        for (std::string& family : familiesOf(*key, threads_, onednn_)) {
            families_[std::move(family)].push_back(&samples_.back());
        }
    }
    for (auto& [name, family] : families_) {
        std::sort(family.begin(), family.end(),
                  [](const Sample* a, const Sample* b) { return sizeOf(*a) < sizeOf(*b); });
    }
    sorted_ = true;
}

/// Chooses the measure with the narrowest interval, as a ratio.
GuessModel::Proportion GuessModel::proportionOf(const Family& family) const {
    Proportion best;
    double narrowest = 0;
    std::vector<double> ratios(family.size());
    for (std::size_t i = 0; i < kMeasures * std::size(kFixed); ++i) {
        const std::size_t measure = i % kMeasures;
        const double fixed = kFixed[i / kMeasures] * threads_;
        std::transform(family.begin(), family.end(), ratios.begin(), [=](const Sample* sample) {
            return sample->bytes / (sample->measures[measure] + fixed);
        });
        std::sort(ratios.begin(), ratios.end());
        const Proportion p{measure, fixed, ratios[lowIndex(ratios.size())], ratios[ratios.size() / 2],
                           ratios[highIndex(ratios.size())]};
        const double little = std::max(0.02 * ratios.back(), 1e-9);  // so that 0 has a ratio as well
        const double width = std::log((p.high + little) / (p.low + little));
        if (i == 0 || width < narrowest) {
            best = p, narrowest = width;
        }
    }
    return best;
}

/// Uses only the rows of a family that have about the same size.
const GuessModel::Proportion* GuessModel::find(const std::string& name, double size) const {
    const auto found = families_.find(name);
    if (found == families_.end() || (found->second.size() < kEnough && !name.empty())) {
        return nullptr;
    }
    const Family& family = found->second;
    const auto place = static_cast<std::size_t>(
        std::lower_bound(family.begin(), family.end(), size,
                         [](const Sample* sample, double s) { return sizeOf(*sample) < s; }) -
        family.begin());
    const std::size_t groups = std::max<std::size_t>(1, family.size() / kAlike),
                      group = std::min(place * groups / family.size(), groups - 1);
    const auto [known, isNew] = proportions_.try_emplace({name, group});
    if (isNew) {
        known->second = proportionOf(
            {family.begin() + static_cast<std::ptrdiff_t>(group * family.size() / groups),
             family.begin() + static_cast<std::ptrdiff_t>((group + 1) * family.size() / groups)});
    }
    return &known->second;
}

Estimate GuessModel::guess(const ConvKey& op) const {
    const std::array<double, kMeasures> measures = measuresOf(op);
    const std::lock_guard lock(mutex_);
    if (!sorted_) {
        sortIntoFamilies();
    }
    for (const std::string& family : familiesOf(op, threads_, onednn_)) {
        const Proportion* const p = find(family, measures[kSizeMeasure]);
        if (p == nullptr) {
            continue;
        }
        const double size = measures[p->measure] + p->fixed, fixed = static_cast<double>(kSmall * threads_);
        return {toBytes(size * p->low * (1 - kSlack) / widening_ - fixed), toBytes(size * p->expected),
                toBytes(size * p->high * (1 + kSlack) * widening_ + fixed)};
    }
    // Without any row: between 0 and twice all tensors plus the columns.
    constexpr std::size_t kAll = 1, kColumns = 3;
    return {0, toBytes(measures[kAll]), toBytes((2 * measures[kAll] + measures[kColumns]) * widening_)};
}

}  // namespace highwater::predict
