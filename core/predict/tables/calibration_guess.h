#pragma once

#include <map>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/predict/tables/calibration.h"
#include "core/predict/tables/guess_features.h"

namespace highwater::predict {

/// What the rows of a table say of convolutions that have none. A convolution is compared with the narrowest
/// of its families that has enough rows, and there with those of about its size; of the measures that
/// temporaries may be proportional to, the one that explains the family best is taken, with the quantiles of
/// the proportion. Each family is looked at when it is first asked for; any thread may ask.
class GuessModel {
public:
    GuessModel(const CpuKey& key, const std::unordered_map<std::string, OpRow>& rows, double widening);

    Estimate guess(const ConvKey& op) const;

private:
    struct Sample {
        std::array<double, kMeasures> measures;
        double bytes = 0;
    };
    struct Proportion {
        std::size_t measure = 0;
        double fixed = 0;  ///< bytes that come with it, whatever the size
        double low = 0, expected = 0, high = 0;
    };
    static constexpr std::size_t kSizeMeasure = 1;
    static double sizeOf(const Sample& sample) { return sample.measures[kSizeMeasure]; }
    using Family = std::vector<const Sample*>;  ///< ascending by size

    void sortIntoFamilies() const;
    Proportion proportionOf(const Family& family) const;
    const Proportion* find(const std::string& family, double size) const;

    int threads_ = 1;
    bool onednn_ = true;
    double widening_ = 1;
    std::vector<std::pair<std::string, base::Bytes>> rows_;  ///< highest temporaries
    mutable std::mutex mutex_;
    mutable bool sorted_ = false;
    mutable std::vector<Sample> samples_;
    mutable std::unordered_map<std::string, Family> families_;
    mutable std::map<std::pair<std::string, std::size_t>, Proportion>
        proportions_;  ///< family, group of sizes
};

}  // namespace highwater::predict
