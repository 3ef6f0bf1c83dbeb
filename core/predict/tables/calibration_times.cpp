#include "core/predict/tables/calibration_times.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace highwater::predict {

namespace {

constexpr std::size_t kFewestRows = 10;  // minimum number of rows in a family
constexpr std::size_t kNearest = 4;      // number of nearest rows whose residuals are averaged
constexpr double kRidge = 0.1;           // regularization: keeps the slopes small if the sizes do not
                                         // separate them
constexpr double kNearby = 0.05;         // squared distance below which rows get the same weight
/// Weight of each size in the distance: operations, weights, input, output, channels of either, kernel
/// positions, samples.
constexpr double kWeights[] = {1, 0.5, 0.5, 0.5, 0.5, 0.5, 1, 0.5};

double logarithm(double value) {
    return std::log(std::max(value, 1.0));
}

/// Solves a x = b for a positive definite matrix by Gaussian elimination.
template <std::size_t N>
std::array<double, N> solved(std::array<std::array<double, N>, N> a, std::array<double, N> b) {
    for (std::size_t i = 0; i < N; ++i) {
        for (std::size_t row = i + 1; row < N; ++row) {
            const double factor = a[row][i] / a[i][i];
            for (std::size_t column = i; column < N; ++column) {
                a[row][column] -= factor * a[i][column];
            }
            b[row] -= factor * b[i];
        }
    }
    std::array<double, N> x{};
    for (std::size_t i = N; i-- > 0;) {
        x[i] = b[i];
        for (std::size_t column = i + 1; column < N; ++column) {
            x[i] -= a[i][column] * x[column];
        }
        x[i] /= a[i][i];
    }
    return x;
}

}  // namespace

ConvTimes::ConvTimes(const std::unordered_map<std::string, OpRow>& rows) {
    for (const auto& [text, row] : rows) {
        if (row.microseconds > 0) {
            rows_.emplace_back(text, row.microseconds);
        }
    }
    std::sort(rows_.begin(), rows_.end());  // sums do not depend on the order of a hash table
}

std::string ConvTimes::familyOf(const ConvKey& op) {
    const char kind = op.groups == 1 ? 'c' : op.groups == op.inChannels ? 'd' : 'g';
    return fmt::format("{}{}{}{}{}{}", op.dims, static_cast<int>(op.pass), op.transposed ? 't' : kind, kind,
                       op.inputGradient ? 'i' : '-', op.weightGradient ? 'w' : '-');
}

ConvTimes::Sizes ConvTimes::sizesOf(const ConvKey& op) {
    const double parts = (op.inputGradient ? 1 : 0) + (op.weightGradient ? 1 : 0);
    return {logarithm(std::max(parts, 1.0) * op.multiplyAdds()),
            logarithm(static_cast<double>(op.weightElements())),
            logarithm(static_cast<double>(op.inputElements())),
            logarithm(static_cast<double>(op.outputElements())),
            logarithm(static_cast<double>(op.inChannels)),
            logarithm(static_cast<double>(op.outChannels)),
            logarithm(static_cast<double>(productOf(op.kernel))),
            logarithm(static_cast<double>(op.batch))};
}

double ConvTimes::Family::at(const Sizes& sizes) const {
    double sum = slopes[kSizes];
    for (std::size_t i = 0; i < kSizes; ++i) {
        sum += slopes[i] * sizes[i];
    }
    return sum;
}

/// Fits the slopes by least squares.
void ConvTimes::Family::fit() {
    constexpr std::size_t kCount = kSizes + 1;
    std::array<std::array<double, kCount>, kCount> products{};
    std::array<double, kCount> times{};
    for (std::size_t i = 0; i < kCount; ++i) {
        products[i][i] = kRidge;
    }
    for (const Sample& sample : samples) {
        std::array<double, kCount> x{};
        std::copy(sample.sizes.begin(), sample.sizes.end(), x.begin());
        x[kSizes] = 1;
        for (std::size_t i = 0; i < kCount; ++i) {
            for (std::size_t j = 0; j < kCount; ++j) {
                products[i][j] += x[i] * x[j];
            }
            times[i] += x[i] * sample.time;
        }
    }
    slopes = solved(products, times);
    for (Sample& sample : samples) {
        sample.time -= at(sample.sizes);
    }
}

void ConvTimes::sortIntoFamilies() const {
    for (const auto& [text, microseconds] : rows_) {
        if (const auto key = parseConvKey(text)) {
            families_[familyOf(*key)].samples.push_back({sizesOf(*key), std::log(microseconds)});
        }
    }
    for (auto& [name, family] : families_) {
        family.fit();
    }
    sorted_ = true;
}

double ConvTimes::guess(const ConvKey& op) const {
    const std::lock_guard lock(mutex_);
    if (!sorted_) {
        sortIntoFamilies();
    }
    const auto found = families_.find(familyOf(op));
    if (found == families_.end() || found->second.samples.size() < kFewestRows) {
        return 0;
    }
    const Sizes sizes = sizesOf(op);
    std::vector<std::pair<double, double>> near;  // squared distance and residual
    for (const Sample& sample : found->second.samples) {
        double distance = 0;
        for (std::size_t i = 0; i < kSizes; ++i) {
            const double apart = sizes[i] - sample.sizes[i];
            distance += kWeights[i] * apart * apart;
        }
        near.emplace_back(distance, sample.time);
    }
    std::partial_sort(near.begin(), near.begin() + kNearest, near.end());
    double sum = 0, weights = 0;
    for (std::size_t i = 0; i < kNearest; ++i) {
        const double weight = 1 / (near[i].first + kNearby);
        sum += weight * near[i].second;
        weights += weight;
    }
    return std::exp(found->second.at(sizes) + sum / weights);
}

}  // namespace highwater::predict
