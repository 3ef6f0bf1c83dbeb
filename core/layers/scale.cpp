#include "core/layers/scale.h"
#include "texts/layers_texts.h"

#include <fmt/format.h>

namespace highwater::stack {

void About<Scale>::words(const Scale& op, Words& w) {
    w.add(fmt::format("{} {}", op.kind == Scale::Kind::Scale ? "×" : "+", op.value));
}

std::vector<python::Source<Scale>> About<Scale>::sources() {
    return {{texts::scale, [](const Scale& op) { return op.kind == Scale::Kind::Scale; }},
            {texts::offset, [](const Scale& op) { return op.kind == Scale::Kind::Offset; }}};
}

}  // namespace highwater::stack
