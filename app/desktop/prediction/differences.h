#pragma once

#include <QString>
#include <optional>
#include <vector>

#include "core/predict/predict.h"
#include "core/wire/events.h"

/// Compares the prediction and the measurement of one experiment, row by row.
namespace highwater::desktop {

struct Difference {
    enum class Kind { Heading, Total, Part };
    Kind kind = Kind::Part;
    QString name;
    int layer = -1;  ///< index into StackInfo::layers, or -1
    std::optional<base::Bytes> predicted = {}, measured = {};
    std::optional<double> predictedMs = {}, measuredMs = {};
    /// The largest library workspace of a layer; 0 if there is none, or it was not measured.
    base::Bytes workspace = 0;
    QString why = {};  ///< why the two differ, or may differ

    std::optional<base::Bytes> residual() const {
        return predicted && measured ? std::optional(*measured - *predicted) : std::nullopt;
    }
};

/// Rows for the peak, its split, the time of the step, then every layer: what its forward adds to
/// activations, and its time. `measured` is null if nothing was measured. Measured values of layers are left
/// out if the run had other layers.
std::vector<Difference> differences(const predict::Prediction& prediction, const stack::StackInfo& info,
                                    const wire::RunResult* measured, bool gpu);

}  // namespace highwater::desktop
