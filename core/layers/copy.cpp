#include "core/layers/copy.h"

namespace highwater::stack {

namespace {

constexpr std::string_view kClone = R"(class Clone(nn.Module):
    def forward(self, x):
        return x.clone(memory_format=torch.contiguous_format)
)";

constexpr std::string_view kContiguous = R"(class Contiguous(nn.Module):
    def forward(self, x):
        return x.contiguous()
)";

}  // namespace

std::vector<python::Source<Copy>> About<Copy>::sources() {
    return {{kClone, [](const Copy& op) { return op.kind == Copy::Kind::Clone; }},
            {kContiguous, [](const Copy& op) { return op.kind == Copy::Kind::Contiguous; }}};
}

}  // namespace highwater::stack
