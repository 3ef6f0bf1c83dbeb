#include "core/layers/scale.h"

#include <fmt/format.h>

namespace highwater::stack {

void About<Scale>::words(const Scale& op, Words& w) {
    w.add(fmt::format("{} {}", op.kind == Scale::Kind::Scale ? "×" : "+", op.value));
}

}  // namespace highwater::stack
