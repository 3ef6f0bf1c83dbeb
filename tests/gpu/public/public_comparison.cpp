#include "tests/gpu/public/public_comparison.h"

#include <algorithm>
#include <cmath>

#include "core/base/statistics.h"
#include "core/predict/predict.h"

namespace highwater::truth {

namespace {

using base::Bytes;
using base::Error;
using predict::Estimate;

void setRoofs(const Roofs& roofs, predict::DeviceProfile& gpu) {
    gpu.fp32 = roofs.fp32;
    gpu.tf32 = roofs.tf32;
    gpu.fp16 = roofs.fp16;
    gpu.bf16 = roofs.bf16;
    gpu.bytesPerSecond = roofs.bytesPerSecond;
}

base::Result<predict::Prediction> predictEntry(const Entry& entry) {
    const auto info = stack::inferShapes(entry.experiment);
    if (!info) {
        return info.error();
    }
    auto target = predict::gpuTarget(entry.gpu, entry.experiment, entry.predictWith, entry.cudnn);
    if (!target) {
        return target.error();
    }
    if (entry.roofs) {
        setRoofs(*entry.roofs, *target->gpu);
    }
    predict::PredictOptions options;
    options.timeline = entry.quantity == Quantity::KeptAfterForward;
    options.time = entry.seconds > 0;
    options.reserved = !entry.memory.empty();
    return predict::predict(entry.experiment, *info, *target, options);
}

Estimate keptAfterForward(const predict::Prediction& prediction) {
    using memory::Category;
    Bytes most = 0;
    for (const predict::PredictedPoint& point : prediction.timeline) {
        most = std::max(most, point.ledger[Category::Activations] + point.ledger[Category::Input] +
                                  point.ledger[Category::Parameters]);
    }
    return Estimate::of(most);
}

Bytes wholeSegments(Bytes bytes) {
    constexpr Bytes kSegment = 2 * base::kMiB;
    return (bytes + kSegment - 1) / kSegment * kSegment;
}

/// The value that the entry is compared with; a size of 0 if the prediction does not have it.
Estimate comparedWith(const Entry& entry, Measure measure, const predict::Prediction& prediction) {
    const bool layered = !prediction.layers.empty();
    switch (entry.quantity) {
        case Quantity::Peak:
            return measure == Measure::Reserved ? prediction.peakReserved : prediction.peakAllocated;
        case Quantity::PeakAllocated:
            return prediction.peakAllocated;
        case Quantity::FirstLayerForward:
            return layered ? prediction.layers[0].forwardBytes : Estimate{};
        case Quantity::FirstActivationSegment:
            return Estimate::of(layered ? wholeSegments(prediction.layers[0].activationBytes) : 0);
        case Quantity::FirstWorkspace:
            return prediction.workspaces.empty() ? Estimate{} : prediction.workspaces[0].bytes;
        case Quantity::KeptAfterForward:
            return keptAfterForward(prediction);
        case Quantity::CliffRequest:
            return Estimate::of(prediction.cliffs.empty() ? 0 : prediction.cliffs[0].bytes);
    }
    return {};
}

bool meets(const Estimate& range, Bytes known, const MemoryValue& value) {
    return range.low + known <= value.bytes + value.rounding &&
           value.bytes - value.rounding <= range.high + known;
}

void add(const Entry& entry, Comparison& comparison) {
    const auto prediction = predictEntry(entry);
    if (!prediction) {
        comparison.refused.push_back(entry.name + ": " + prediction.error().message);
        return;
    }
    for (const MemoryValue& value : entry.memory) {
        Estimate predicted = comparedWith(entry, value.measure, *prediction);
        if (predicted.high == 0) {
            comparison.refused.push_back(entry.name + ": the prediction has nothing to compare with");
            continue;
        }
        predicted += Estimate::of(entry.added);
        comparison.memory.push_back({&entry, value, predicted});
    }
    if (entry.seconds > 0) {
        comparison.times.push_back({&entry, entry.seconds * 1000, prediction->stepMs});
    }
}

double relativeTo(const MemoryValue& value, Bytes predicted) {
    return static_cast<double>(predicted - value.bytes) / static_cast<double>(value.bytes);
}

}  // namespace

double MemoryRow::error() const {
    return relativeTo(measured, predicted.expected);
}

double MemoryRow::knownError() const {
    return relativeTo(measured, predicted.expected + entry->pythonBytes);
}

bool MemoryRow::inside() const {
    return meets(predicted, 0, measured) || meets(predicted, entry->pythonBytes, measured);
}

bool TimeRow::inside() const {
    const base::Millis rounding = entry->secondsRounding * 1000;
    return predicted.low <= measured + rounding && measured - rounding <= predicted.high;
}

Comparison compare(const std::vector<Entry>& entries) {
    Comparison comparison;
    for (const Entry& entry : entries) {
        add(entry, comparison);
    }
    return comparison;
}

MemoryFigures figuresOf(const std::vector<MemoryRow>& rows, const MemoryFilter& wanted) {
    MemoryFigures figures;
    std::vector<double> errors;
    for (const MemoryRow& row : rows) {
        if (!wanted(row)) {
            continue;
        }
        const double error = 100 * row.knownError();
        errors.push_back(std::abs(error));
        figures.inside += row.inside() ? 1 : 0;
        figures.worst = std::abs(error) > std::abs(figures.worst) ? error : figures.worst;
    }
    figures.n = errors.size();
    figures.median = base::median(errors);
    return figures;
}

TimeFigures figuresOf(const std::vector<TimeRow>& rows, const TimeFilter& wanted) {
    TimeFigures figures;
    std::vector<double> ratios, lows, highs;
    for (const TimeRow& row : rows) {
        if (!wanted(row)) {
            continue;
        }
        ratios.push_back(row.ratio());
        lows.push_back(row.predicted.low / row.predicted.expected);
        highs.push_back(row.predicted.high / row.predicted.expected);
        figures.inside += row.inside() ? 1 : 0;
    }
    figures.n = ratios.size();
    if (figures.n == 0) {
        return figures;
    }
    const auto [smallest, largest] = std::minmax_element(ratios.begin(), ratios.end());
    figures.smallest = *smallest;
    figures.largest = *largest;
    figures.median = base::median(ratios);
    figures.low = base::median(lows);
    figures.high = base::median(highs);
    return figures;
}

bool isMiss(const MemoryRow& row) {
    return !row.inside() || std::abs(row.knownError()) > kMiss;
}

}  // namespace highwater::truth
