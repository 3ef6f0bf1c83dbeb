#include <algorithm>

#include "core/stack/export/parts.h"

/// The layers of core/stack/tensor_layers.h in Python.
namespace highwater::stack::python {

namespace {

constexpr const char* kReshape = R"(class Reshape(nn.Module):
    def __init__(self, *shape):
        super().__init__()
        self.shape = shape

    def forward(self, x):
        return x.reshape(self.shape)
)";

constexpr const char* kPermute = R"(class Permute(nn.Module):
    def __init__(self, *dims):
        super().__init__()
        self.dims = dims

    def forward(self, x):
        return x.permute(self.dims)
)";

constexpr const char* kSelect = R"(class Select(nn.Module):
    def __init__(self, dim, index):
        super().__init__()
        self.dim, self.index = dim, index

    def forward(self, x):
        return x.select(self.dim, self.index)
)";

constexpr const char* kClone = R"(class Clone(nn.Module):
    def forward(self, x):
        return x.clone(memory_format=torch.contiguous_format)
)";

constexpr const char* kContiguous = R"(class Contiguous(nn.Module):
    def forward(self, x):
        return x.contiguous()
)";

constexpr const char* kLayerScale = R"(class LayerScale(nn.Module):
    """Learned factors (arXiv 2103.17239)."""

    def __init__(self, *shape):
        super().__init__()
        self.weight = nn.Parameter(torch.full(shape, 1e-6))

    def forward(self, x):
        return x * self.weight
)";

constexpr const char* kPositionEmbedding = R"(class PositionEmbedding(nn.Module):
    def __init__(self, *shape):
        super().__init__()
        self.weight = nn.Parameter(0.02 * torch.randn(shape))

    def forward(self, x):
        return x + self.weight
)";

constexpr const char* kClassToken = R"(class ClassToken(nn.Module):
    """Learned places before those of the input (arXiv 2010.11929)."""

    def __init__(self, *shape):
        super().__init__()
        self.weight = nn.Parameter(0.02 * torch.randn(shape))

    def forward(self, x):
        return torch.cat([self.weight.expand(x.shape[0], -1, -1), x], 1)
)";

constexpr const char* kStochasticDepth = R"(class StochasticDepth(nn.Module):
    """Sets samples to zero, or the whole batch (arXiv 1603.09382)."""

    def __init__(self, p, mode="row", scale_by_keep=True):
        super().__init__()
        self.p, self.mode, self.scale_by_keep = p, mode, scale_by_keep

    def forward(self, x):
        if not self.training or self.p == 0:
            return x
        samples = x.shape[0] if self.mode == "row" else 1
        noise = x.new_empty([samples] + [1] * (x.dim() - 1)).bernoulli_(1 - self.p)
        if self.scale_by_keep and self.p < 1:
            noise.div_(1 - self.p)
        return x * noise
)";

constexpr const char* kOffset = R"(class Offset(nn.Module):
    def __init__(self, value):
        super().__init__()
        self.value = value

    def forward(self, x):
        return x + self.value
)";

constexpr const char* kSlice = R"(class Slice(nn.Module):
    def __init__(self, dim, start, end, step):
        super().__init__()
        self.dim, self.places = dim, (start, end, step)

    def forward(self, x):
        return torch.ops.aten.slice(x, self.dim, *self.places)
)";

constexpr const char* kRoll = R"(class Roll(nn.Module):
    def __init__(self, shifts, dims):
        super().__init__()
        self.shifts, self.dims = shifts, dims

    def forward(self, x):
        return x.roll(self.shifts, self.dims)
)";

constexpr const char* kRelativePositionBias = R"(class RelativePositionBias(nn.Module):
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

constexpr const char* kWindowMask = R"(class WindowMask(nn.Module):
    """-100 for places that a shift brought together (arXiv 2103.14030). x is not read."""

    def __init__(self, size, window_size, shift_size):
        super().__init__()
        self.size, self.window_size, self.shift_size = size, window_size, shift_size

    def forward(self, x):
        axes = len(self.size)
        parts = []
        for size, window, shift in zip(self.size, self.window_size, self.shift_size):
            last, moved = size - window, size - (shift or window)
            parts.append((slice(0, last), slice(last, moved), slice(moved, size)))
        image = torch.zeros(1, *self.size, 1, device=x.device)
        for count, part in enumerate(itertools.product(*parts)):
            image[(slice(None), *part)] = count
        split = []
        for size, window in zip(self.size, self.window_size):
            split += [size // window, window]
        order = [0, *range(1, 2 * axes, 2), *range(2, 2 * axes + 1, 2), 2 * axes + 1]
        windows = image.view(1, *split, 1).permute(order).contiguous()
        windows = windows.view(-1, math.prod(self.window_size))
        mask = windows.unsqueeze(1) - windows.unsqueeze(2)
        mask = mask.masked_fill(mask != 0, -100.0).masked_fill(mask == 0, 0.0)
        return mask.unsqueeze(1).unsqueeze(0)
)";

template <class T>
bool isOf(const Op& op, typename T::Kind kind) {
    const auto* const found = std::get_if<T>(&op);
    return found != nullptr && found->kind == kind;
}

}  // namespace

std::vector<std::string> tensorModules(const Program& program) {
    using Is = bool (*)(const Op&);
    const std::pair<Is, const char*> known[] = {
        {std::holds_alternative<Reshape>, kReshape},
        {std::holds_alternative<Permute>, kPermute},
        {std::holds_alternative<Select>, kSelect},
        {[](const Op& op) { return isOf<Copy>(op, Copy::Kind::Clone); }, kClone},
        {[](const Op& op) { return isOf<Copy>(op, Copy::Kind::Contiguous); }, kContiguous},
        {[](const Op& op) { return isOf<Learned>(op, Learned::Kind::LayerScale); }, kLayerScale},
        {[](const Op& op) { return isOf<Learned>(op, Learned::Kind::PositionEmbedding); },
         kPositionEmbedding},
        {[](const Op& op) { return isOf<Learned>(op, Learned::Kind::ClassToken); }, kClassToken},
        {std::holds_alternative<StochasticDepth>, kStochasticDepth},
        {[](const Op& op) { return isOf<Scale>(op, Scale::Kind::Offset); }, kOffset},
        {std::holds_alternative<Slice>, kSlice},
        {std::holds_alternative<Roll>, kRoll},
        {std::holds_alternative<RelativePositionBias>, kRelativePositionBias},
        {std::holds_alternative<WindowMask>, kWindowMask}};
    std::vector<std::string> made;
    for (const auto& [is, text] : known) {
        if (std::any_of(program.steps.begin(), program.steps.end(),
                        [matches = is](const ProgramStep& step) { return matches(*step.op); })) {
            made.emplace_back(text);
        }
    }
    return made;
}

}  // namespace highwater::stack::python
