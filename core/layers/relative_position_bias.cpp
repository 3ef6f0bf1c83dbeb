#include "core/layers/relative_position_bias.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "core/layers/rules.h"

namespace highwater::stack {

using base::Error;
using base::Result;

namespace {

constexpr std::string_view kRelativePositionBias = R"(class RelativePositionBias(nn.Module):
    """A learned value for each distance within a window (arXiv 2103.14030). x is not read."""

    def __init__(self, window_size, num_heads, places=None, copy_index=False):
        super().__init__()
        rows = 1
        index = 0
        axes = [torch.arange(size) for size in window_size]
        for size, at in zip(window_size, torch.meshgrid(*axes, indexing="ij")):
            at = at.flatten()
            index = index * (2 * size - 1) + at[:, None] - at[None, :] + size - 1
            rows *= 2 * size - 1
        self.weight = nn.Parameter(0.02 * torch.randn(rows, num_heads))
        self.register_buffer("index", index, persistent=False)
        self.places, self.copy_index = places or len(index), copy_index

    def forward(self, x):
        n = self.places
        index = self.index.clone() if self.copy_index else self.index
        rows = self.weight[index[:n, :n].reshape(-1)]
        return rows.reshape(n, n, -1).permute(2, 0, 1).contiguous().unsqueeze(0)
)";

}  // namespace

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

std::vector<python::Source<RelativePositionBias>> About<RelativePositionBias>::sources() {
    return {{kRelativePositionBias}};
}

}  // namespace highwater::stack
