#include "core/layers/relative_position_bias.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "core/layers/rules.h"

namespace highwater::stack {

using base::Error;
using base::Result;

Result<LayerRule> About<RelativePositionBias>::rule(const RelativePositionBias& op, const Shape&, bool) {
    if (auto error = checkWindow("window_size", op.windowSize, 1, axesOfWindow(op.windowSize))) {
        return *error;
    }
    const std::int64_t whole = placesOf(op.windowSize);
    if (auto error = outside("places", op.places, 0, whole)) {
        return *error;
    }
    if (auto error = outside("num_heads", op.numHeads, 1, kMostSize)) {
        return *error;
    }
    const std::int64_t places = op.places == 0 ? whole : op.places;
    if (const auto index = tensorBytes({whole, whole}, sizeof(std::int64_t), "an index"); !index) {
        return index.error();
    }
    const auto table = weightCount({op.numHeads, distancesOf(op.windowSize)}, {}, 0);
    if (!table) {
        return table.error();
    }
    return LayerRule{{1, op.numHeads, places, places}, *table};
}

void About<RelativePositionBias>::words(const RelativePositionBias& op, Words& w) {
    w.add("windows of " + sizesText(op.windowSize));
    w.add(base::counted(op.numHeads, "head"));
}

python::Module About<RelativePositionBias>::module(const RelativePositionBias& op, const python::Place&) {
    return python::Module{"RelativePositionBias",
                          {python::tuple(op.windowSize), python::literal(op.numHeads)}}
        .add("places", op.places, 0)
        .add("copy_index", op.copyIndex, false);
}

}  // namespace highwater::stack
