#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/predict/tables/estimate.h"
#include "tests/gpu/public/public_entry.h"

/// Predictions compared with the published entries. Values in, values out.
namespace highwater::truth {

struct MemoryRow {
    const Entry* entry = nullptr;  ///< of the list that was compared
    MemoryValue measured;
    predict::Estimate predicted;  ///< with Entry::added, without Entry::pythonBytes

    double error() const;       ///< (predicted - measured) / measured
    double knownError() const;  ///< the same with Entry::pythonBytes added to the prediction
    /// Whether [low, high], with or without the known bytes, overlaps the measured value and its rounding.
    bool inside() const;
};

struct TimeRow {
    const Entry* entry = nullptr;
    base::Millis measured = 0;
    predict::TimeEstimate predicted;

    double ratio() const { return measured / predicted.expected; }
    bool inside() const;
};

struct Comparison {
    std::vector<MemoryRow> memory;
    std::vector<TimeRow> times;
    std::vector<std::string> refused;  ///< "NAME: why" for entries that cannot be predicted
};

/// Predicts every entry for its GPU and versions with the tables of Highwater, without asking cuDNN. The
/// result points into `entries`.
Comparison compare(const std::vector<Entry>& entries);
Comparison compare(std::vector<Entry>&& entries) = delete;  // the result would dangle

/// Errors are in percent of the measured value, with the known bytes added.
struct MemoryFigures {
    std::size_t n = 0, inside = 0;
    double median = 0;  ///< of the absolute errors
    double worst = 0;   ///< the error with the largest absolute value
};
using MemoryFilter = std::function<bool(const MemoryRow&)>;
MemoryFigures figuresOf(const std::vector<MemoryRow>& rows, const MemoryFilter& wanted);

/// Measured divided by expected.
struct TimeFigures {
    std::size_t n = 0, inside = 0;
    double median = 0, smallest = 0, largest = 0;
    double low = 0, high = 0;  ///< medians of the bands' ends divided by expected
};
using TimeFilter = std::function<bool(const TimeRow&)>;
TimeFigures figuresOf(const std::vector<TimeRow>& rows, const TimeFilter& wanted);

/// A row is a miss if its error exceeds this or its interval does not contain the measured value.
inline constexpr double kMiss = 0.01;
bool isMiss(const MemoryRow& row);

}  // namespace highwater::truth
