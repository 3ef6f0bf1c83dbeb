#include "core/stack/export_pytorch_parts.h"

namespace highwater::stack::python {

std::string ownModules(const Program&) {
    return {};
}

}  // namespace highwater::stack::python
