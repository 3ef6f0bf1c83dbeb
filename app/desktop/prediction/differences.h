#pragma once

#include <QString>
#include <optional>
#include <vector>

#include "core/predict/predict.h"
#include "core/wire/events.h"

/// What was predicted and what was measured of the same experiment, line by line.
namespace highwater::desktop {

struct Difference {
    enum class Kind { Heading, Total, Part };
    Kind kind = Kind::Part;
    QString name;
    int layer = -1;  ///< index into StackInfo::layers, or -1
    std::optional<base::Bytes> predicted = {}, measured = {};
    std::optional<double> predictedMs = {}, measuredMs = {};
    base::Bytes workspace = 0;  ///< of a layer: its largest library workspace; 0: none, or not measured
    QString why = {};           ///< where the two differ, or could: why

    std::optional<base::Bytes> residual() const {
        return predicted && measured ? std::optional(*measured - *predicted) : std::nullopt;
    }
};

/// The peak, its split, the step's time, then every layer: what its forward adds to activations, and its
/// time. `measured` null: nothing measured. Layers are left out of the measured side where the run had
/// others.
std::vector<Difference> differences(const predict::Prediction& prediction, const stack::StackInfo& info,
                                    const wire::RunResult* measured, bool gpu);

}  // namespace highwater::desktop
