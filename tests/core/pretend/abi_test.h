#pragma once

#include <map>
#include <string>

namespace highwater::pretend {

// Of each function its type, of each enumerator its value, of each struct its size, of each field its place,
// in words.
using AbiDescription = std::map<std::string, std::string>;

AbiDescription declaredAbi();
// Empty where NVIDIA's headers were not found.
AbiDescription realAbi();

}  // namespace highwater::pretend
