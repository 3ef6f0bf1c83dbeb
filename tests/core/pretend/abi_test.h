#pragma once

#include <map>
#include <string>

namespace highwater::pretend {

// As text: the type of each function, the value of each enumerator, the size of each struct, the offset of
// each field.
using AbiDescription = std::map<std::string, std::string>;

AbiDescription declaredAbi();
// Empty if NVIDIA's headers were not found.
AbiDescription realAbi();

}  // namespace highwater::pretend
