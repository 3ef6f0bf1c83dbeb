#pragma once

#include <QString>
#include <vector>

#include "app/desktop/experiment/stack/layer_tree.h"
#include "core/base/result.h"
#include "core/predict/predict.h"
#include "core/stack/shapes.h"

namespace highwater::desktop {

/// The contents of one row of the stack editor.
struct StackRow {
    Path path;
    int number = 0;  ///< number of the layer in order of execution, counted from 1 as in error messages
    QString type, options;
    QString shape;  ///< the output without the batch axis, "64 × 48³"; empty if unknown
    /// Bytes that the layer's forward adds to activations, as predicted. Without a prediction: the bytes that
    /// its output adds. -1 if unknown.
    base::Bytes bytes = -1;
    /// 0 to 1: `bytes`, relative to the row with the most.
    double share = 0;
    std::int64_t parameters = 0;
    QString input;  ///< shape of the input, in the form of `shape`
    bool predicted = false;
    /// Lines with a size at which memory jumps, and the safe sizes; empty if there is none.
    QString cliff;
    bool block = false;
    bool bad = false;  ///< it is the layer named in the error
    bool operator==(const StackRow&) const = default;
};

struct StackRows {
    std::vector<StackRow> rows;  ///< a block before its contents
    std::int64_t parameters = 0;
    QString error;  ///< empty if the stack is valid
    int badRow = -1;
};

/// The rows of the stack. An invalid stack keeps the shapes of the layers before the one that the error
/// names. `prediction` may be null; it is ignored if it is for a stack with another number of layers.
StackRows stackRows(const stack::Experiment& experiment, const base::Result<stack::StackInfo>& info,
                    const predict::Prediction* prediction = nullptr);

/// The prediction for a layer, as lines for a tooltip. `peak` is the peak of the whole step.
QString layerForecastText(const predict::LayerPrediction& layer, base::Bytes peak);
/// The safe sizes of a cliff in words: "safe: depth 244; width 352 or 376".
QString safeSizesText(const predict::Cliff& cliff);

}  // namespace highwater::desktop
