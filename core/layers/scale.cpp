#include "core/layers/scale.h"

#include <fmt/format.h>

namespace highwater::stack {

namespace {

constexpr std::string_view kScale = R"(class Scale(nn.Module):
    def __init__(self, value):
        super().__init__()
        self.value = value

    def forward(self, x):
        return x * self.value
)";

constexpr std::string_view kOffset = R"(class Offset(nn.Module):
    def __init__(self, value):
        super().__init__()
        self.value = value

    def forward(self, x):
        return x + self.value
)";

}  // namespace

void About<Scale>::words(const Scale& op, Words& w) {
    w.add(fmt::format("{} {}", op.kind == Scale::Kind::Scale ? "×" : "+", op.value));
}

std::vector<python::Source<Scale>> About<Scale>::sources() {
    return {{kScale, [](const Scale& op) { return op.kind == Scale::Kind::Scale; }},
            {kOffset, [](const Scale& op) { return op.kind == Scale::Kind::Offset; }}};
}

}  // namespace highwater::stack
