#pragma once

#include <map>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/predict/tables/calibration.h"
#include "core/predict/tables/guess_features.h"

namespace highwater::predict {

/// Guesses the temporaries of convolutions that have no row, from the rows of a table. A convolution belongs
/// to several families. It is compared with the narrowest family that has enough rows, and within it with the
/// rows of similar size. Temporaries are assumed to be proportional to one of several measures: the one that
/// fits the family best, with the quantiles of the ratio. Families are evaluated when they are first needed;
/// thread-safe.
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
        double fixed = 0;  ///< constant bytes, independent of the size
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
    std::vector<std::pair<std::string, base::Bytes>> rows_;  ///< each row with the peak of its temporaries
    mutable std::mutex mutex_;
    mutable bool sorted_ = false;
    mutable std::vector<Sample> samples_;
    mutable std::unordered_map<std::string, Family> families_;
    /// By family and group of sizes.
    mutable std::map<std::pair<std::string, std::size_t>, Proportion> proportions_;
};

}  // namespace highwater::predict
