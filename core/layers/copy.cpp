#include "core/layers/copy.h"
#include "texts/layers_texts.h"

namespace highwater::stack {

std::vector<python::Source<Copy>> About<Copy>::sources() {
    return {{texts::clone, [](const Copy& op) { return op.kind == Copy::Kind::Clone; }},
            {texts::contiguous, [](const Copy& op) { return op.kind == Copy::Kind::Contiguous; }}};
}

}  // namespace highwater::stack
