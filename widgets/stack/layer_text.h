#pragma once

#include <QString>

#include "core/base/result.h"
#include "widgets/stack/layer_tree.h"

namespace highwater::widgets {

/// Layers as JSON text, for the clipboard and for dragging. The format is that of the `stack` list of an
/// experiment.
QString layersToText(const Layers& layers);
/// Reads a list of layers, a single layer, or a whole experiment (of which it takes the stack).
base::Result<Layers> layersFromText(const QString& text);

}  // namespace highwater::widgets
