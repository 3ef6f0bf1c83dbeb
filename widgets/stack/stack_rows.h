#pragma once

#include <QString>
#include <vector>

#include "core/base/result.h"
#include "core/predict/predict.h"
#include "core/stack/shapes.h"
#include "widgets/stack/layer_tree.h"

namespace highwater::widgets {

/// What one row of the stack editor shows.
struct StackRow {
    Path path;
    int number = 0;  ///< from 1, in order of execution, as error messages count
    QString type, options;
    QString shape;           ///< the output without the batch axis, "64 × 48³"; empty where not known
    base::Bytes bytes = -1;  ///< predicted: what its forward adds to activations; without a prediction: bytes
                             ///< of output it adds; -1 where not known
    double share = 0;        ///< 0 to 1, against the largest single layer's: predicted what it holds at the
                             ///< step's peak, without a prediction its bytes
    std::int64_t parameters = 0;
    QString input;  ///< as `shape`, of what comes in
    bool predicted = false;
    QString cliff;  ///< lines: a size at which its memory jumps, and the safe ones; empty for none
    bool block = false;
    bool bad = false;  ///< the layer that the error names
    bool operator==(const StackRow&) const = default;
};

struct StackRows {
    std::vector<StackRow> rows;  ///< a block before what it contains
    std::int64_t parameters = 0;
    QString error;  ///< empty where the stack is valid
    int badRow = -1;
};

/// An invalid stack keeps the shapes of the layers before the one the error names. `prediction` may be null;
/// it is left out where it is of a stack with another number of layers.
StackRows stackRows(const stack::Experiment& experiment, const base::Result<stack::StackInfo>& info,
                    const predict::Prediction* prediction = nullptr);

/// What is predicted of a layer, in lines for a tooltip. `peak` is the step's.
QString layerForecastText(const predict::LayerPrediction& layer, base::Bytes peak);
/// "safe: depth 244; width 352 or 376": the safe sizes of a cliff in words.
QString safeSizesText(const predict::Cliff& cliff);

/// The number in "layer 5 `conv`: ..."; 0 where the message names none.
int layerNumberIn(const std::string& message);

}  // namespace highwater::widgets
