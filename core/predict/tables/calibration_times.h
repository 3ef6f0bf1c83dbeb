#pragma once

#include <array>
#include <map>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/predict/tables/calibration.h"

namespace highwater::predict {

/// Guesses the time of convolutions that have no row, from the rows of a table. Within a family (axes, pass,
/// kind) the logarithm of the time is a linear function of the logarithms of a few sizes, plus the mean
/// residual of the nearest rows. Of the 4,982 rows of LibTorch 1.13 with AVX-512, each guessed from the
/// others, 90 % took 0.44 to 1.9 times the guess. Thread-safe.
class ConvTimes {
public:
    explicit ConvTimes(const std::unordered_map<std::string, OpRow>& rows);

    /// Microseconds; 0 if the family has too few rows.
    double guess(const ConvKey& op) const;

private:
    static constexpr std::size_t kSizes = 8;
    using Sizes = std::array<double, kSizes>;  ///< logarithms
    struct Sample {
        Sizes sizes;
        double time = 0;  ///< logarithm of the time; once the function is fitted, its residual
    };
    struct Family {
        std::vector<Sample> samples;
        std::array<double, kSizes + 1> slopes{};  ///< the last one is the constant
        double at(const Sizes& sizes) const;
        void fit();
    };
    static std::string familyOf(const ConvKey& op);
    static Sizes sizesOf(const ConvKey& op);
    void sortIntoFamilies() const;

    std::vector<std::pair<std::string, double>> rows_;  ///< each row with its microseconds
    mutable std::mutex mutex_;
    mutable bool sorted_ = false;
    mutable std::map<std::string, Family> families_;
};

}  // namespace highwater::predict
