#include "core/volume/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/volume/visit.h"

namespace highwater::volume {

void StatisticsPass::add(const std::byte* stored, std::int64_t voxels) {
    visitType(type_, [&](auto type) {
        using T = decltype(type);
        // Sums of integers are exact; sums of doubles are computed per block and then joined. Both keep the
        // error of the mean far below one stored unit.
        using Whole = std::conditional_t<sizeof(T) <= 2, std::int32_t, std::int64_t>;
        using Sum = std::conditional_t<std::is_floating_point_v<T>, double, Whole>;
        constexpr std::int64_t kValuesAtOnce = 1 << 15;  // the sum of this many 16-bit values just fits 32
                                                         // bits
        for (std::int64_t begin = 0; begin < voxels; begin += kValuesAtOnce) {
            T low = std::numeric_limits<T>::max();
            T high = std::numeric_limits<T>::lowest();
            Sum sum = 0;
            const std::int64_t end = std::min(begin + kValuesAtOnce, voxels);
            std::int64_t finite = std::is_integral_v<T> ? end - begin : 0;
            for (std::int64_t i = begin; i < end; ++i) {
                const T value = loadVoxel<T>(stored, i);
                if (isFiniteVoxel(value)) {
                    low = std::min(low, value);
                    high = std::max(high, value);
                    sum += static_cast<Sum>(value);
                    finite += std::is_integral_v<T> ? 0 : 1;
                }
            }
            if (finite > 0) {
                min_ = finite_ ? std::min(min_, static_cast<double>(low)) : static_cast<double>(low);
                max_ = finite_ ? std::max(max_, static_cast<double>(high)) : static_cast<double>(high);
                sum_ += static_cast<double>(sum);
                finite_ += finite;
            }
        }
    });
    total_ += voxels;
}

Statistics StatisticsPass::result(double slope, double intercept) const {
    const double nan = std::nan("");
    if (finite_ == 0) {
        return {nan, nan, nan, 0, total_};
    }
    const double a = min_ * slope + intercept;
    const double b = max_ * slope + intercept;
    const double mean = sum_ / static_cast<double>(finite_) * slope + intercept;
    return {std::min(a, b), std::max(a, b), mean, finite_, total_};
}

double Histogram::percentile(double q) const {
    if (finite == 0) {
        return low;
    }
    const double wanted = std::clamp(q, 0.0, 1.0) * static_cast<double>(finite);
    double below = 0;
    for (std::size_t bin = 0; bin < counts.size(); ++bin) {
        const auto count = static_cast<double>(counts[bin]);
        if (count > 0 && below + count >= wanted) {
            return low + (static_cast<double>(bin) + (wanted - below) / count) * binWidth();
        }
        below += count;
    }
    return high;
}

double Histogram::otsu() const {
    double total = 0;
    for (std::size_t bin = 0; bin < counts.size(); ++bin) {
        total += static_cast<double>(bin) * static_cast<double>(counts[bin]);
    }
    double weight = 0, sum = 0, best = -1;
    double first = 0, last = 0;  // a plateau of equally good thresholds: take its middle
    for (std::size_t bin = 0; bin < counts.size(); ++bin) {
        weight += static_cast<double>(counts[bin]);
        sum += static_cast<double>(bin) * static_cast<double>(counts[bin]);
        const double rest = static_cast<double>(finite) - weight;
        if (weight == 0 || rest <= 0) {
            continue;
        }
        const double apart = sum / weight - (total - sum) / rest;
        const double between = weight * rest * apart * apart;
        if (between > best * (1 + 1e-12)) {
            best = between;
            first = last = static_cast<double>(bin + 1);
        } else if (between >= best * (1 - 1e-12)) {
            last = static_cast<double>(bin + 1);
        }
    }
    return low + (first + last) / 2 * binWidth();
}

Histogram histogram(const Volume& volume, int bins) {
    Histogram out;
    const Header& header = volume.header();
    out.counts.assign(static_cast<std::size_t>(std::max(bins, 1)), 0);
    const auto& size = header.geometry.size;
    const std::int64_t rows = size[1] * size[2];
    const std::int64_t stride =
        std::max<std::int64_t>(1, header.geometry.voxels() / (std::int64_t{16} << 20));
    double low = header.min, high = header.max;
    if (!std::isfinite(low) || !std::isfinite(high)) {
        StatisticsPass pass(header.type);
        pass.add(volume.data(), header.geometry.voxels());
        const Statistics statistics = pass.result(header.slope, header.intercept);
        low = statistics.min;
        high = statistics.max;
    }
    if (!std::isfinite(low) || !std::isfinite(high)) {
        return out;
    }
    out.low = low;
    out.high = high;
    const double scale = high > low ? static_cast<double>(out.counts.size()) / (high - low) : 0;
    const auto last = static_cast<std::int64_t>(out.counts.size()) - 1;
    visitType(header.type, [&](auto type) {
        for (std::int64_t row = 0; row < rows; row += stride) {
            for (std::int64_t i = 0; i < size[0]; ++i) {
                const auto stored = loadVoxel<decltype(type)>(volume.data(), row * size[0] + i);
                if (isFiniteVoxel(stored)) {
                    const double value = static_cast<double>(stored) * header.slope + header.intercept;
                    const auto bin = static_cast<std::int64_t>(std::clamp((value - low) * scale, 0.0, 1e15));
                    ++out.counts[static_cast<std::size_t>(std::min(bin, last))];
                    ++out.finite;
                }
            }
        }
    });
    return out;
}

}  // namespace highwater::volume
