#include "core/scan/reader/dicom/steps.h"

#include <algorithm>
#include <cmath>

namespace highwater::scan::reader::dicom {
namespace {

constexpr double kEven = 0.1;  // as a fraction of a step

double mostSlices(std::size_t pictures) {
    return 4 * static_cast<double>(pictures) + 16;
}

std::optional<Steps> tryStep(const std::vector<double>& positions, double step, double rounding,
                             double most) {
    constexpr double kMostRounding = 0.4;  // as a fraction of a step
    const double tolerance = std::max(kEven, std::min(rounding / step, kMostRounding));
    Steps out{step, true, {0}, 0};
    for (std::size_t i = 1; i < positions.size(); ++i) {
        const double distance = (positions[i] - positions[i - 1]) / step;
        const double whole = std::round(distance);
        if (whole < 1 || std::abs(distance - whole) > tolerance) {
            return std::nullopt;
        }
        out.slices.push_back(out.slices.back() + whole);
    }
    if (out.slices.back() + 1 > most) {
        return std::nullopt;
    }
    out.step = (positions.back() - positions.front()) / out.slices.back();
    for (std::size_t i = 0; i < positions.size(); ++i) {
        const double off = std::abs(positions[i] - positions.front() - out.slices[i] * out.step);
        out.worst = std::max(out.worst, off);
    }
    return out.worst <= tolerance * out.step ? std::optional(out) : std::nullopt;
}

}  // namespace

std::optional<Steps> findSteps(const std::vector<double>& positions, double rounding) {
    std::vector<double> distances;
    for (std::size_t i = 1; i < positions.size(); ++i) {
        distances.push_back(positions[i] - positions[i - 1]);
    }
    std::sort(distances.begin(), distances.end());
    const double median = distances[(distances.size() - 1) / 2];
    for (const double step : {median, distances.front()}) {
        if (const auto even = tryStep(positions, step, rounding, mostSlices(positions.size()))) {
            return even;
        }
    }
    Steps out{median, false, {}, 0};
    for (const double position : positions) {
        out.slices.push_back((position - positions.front()) / median);
    }
    if (out.slices.back() + 1 > mostSlices(positions.size())) {
        return std::nullopt;
    }
    return out;
}

std::optional<Steps> stepsOf(const std::vector<double>& positions, double step, double rounding) {
    constexpr double kMost = 4096;
    return tryStep(positions, step, rounding, kMost);
}

double roundingOf(const std::vector<double>& values) {
    constexpr double kDigits = 0.02;  // as a fraction of the unit: values have up to six digits
    for (const double unit : {1.0, 0.1, 0.01}) {
        const auto isMultiple = [&](double value) {
            return std::abs(value / unit - std::round(value / unit)) <= kDigits;
        };
        if (std::all_of(values.begin(), values.end(), isMultiple)) {
            return unit < 1 ? unit : 0;
        }
    }
    return 0;
}

double slopeOf(const std::vector<double>& x, const std::vector<double>& y) {
    const auto n = static_cast<double>(x.size());
    double sumX = 0, sumY = 0, sumXX = 0, sumXY = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        sumX += x[i];
        sumY += y[i];
    }
    for (std::size_t i = 0; i < x.size(); ++i) {
        const double dx = x[i] - sumX / n;
        sumXX += dx * dx;
        sumXY += dx * (y[i] - sumY / n);
    }
    return sumXX > 0 ? sumXY / sumXX : 0;
}

}  // namespace highwater::scan::reader::dicom
