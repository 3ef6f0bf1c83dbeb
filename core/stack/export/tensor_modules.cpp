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
        {std::holds_alternative<StochasticDepth>, kStochasticDepth}};
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
