#pragma once

// Describes every name of abi_names.inc as declared in the headers that were included before this one.
// abi_declared.cpp includes the project's, abi_real.cpp NVIDIA's; abi_test.cpp compares the descriptions.

#include <cstddef>
#include <string>
#include <type_traits>

#include "tests/core/pretend/abi_test.h"

namespace {  // both files use types with the same names

using highwater::pretend::AbiDescription;

template <typename T>
struct Shape {
    static std::string text() {
        if constexpr (std::is_pointer_v<T>) {
            using Pointee = std::remove_pointer_t<T>;
            const std::string constness = std::is_const_v<Pointee> ? "const " : "";
            return "pointer to " + constness + Shape<std::remove_cv_t<Pointee>>::text();
        } else if constexpr (std::is_void_v<T>) {
            return "void";
        } else if constexpr (std::is_class_v<T>) {
            return "struct";  // complete or not: its size is a separate entry
        } else if constexpr (std::is_floating_point_v<T>) {
            return "float of " + std::to_string(sizeof(T));
        } else {  // an enumeration is passed as an integer
            return "integer of " + std::to_string(sizeof(T));
        }
    }
};

template <typename Result, typename... Parameters>
struct Shape<Result(Parameters...)> {
    static std::string text() {
        std::string parameters;
        ((parameters += (parameters.empty() ? "" : ", ") + Shape<Parameters>::text()), ...);
        return Shape<Result>::text() + " (" + parameters + ")";
    }
};

std::string member(std::size_t offset, std::size_t size) {
    return "at " + std::to_string(offset) + ", " + std::to_string(size) + " bytes";
}

template <typename Properties>
void describeProperties(AbiDescription& words, const std::string& of) {
    words[of] = std::to_string(sizeof(Properties)) + " bytes";
#define PROPERTIES
#define PROPERTY(field) \
    words[of + "." #field] = member(offsetof(Properties, field), sizeof(Properties::field));
#define SIZE(type)
#define FIELD(type, field)
#define VALUE(name)
#define FUNCTION(name)
#define FUNCTION_OF_12(name)
#define FUNCTION_OF_13(name)
#define NVML_VALUE(ours, name)
#include "tests/core/pretend/abi_names.inc"
#undef PROPERTIES
#undef PROPERTY
#undef SIZE
#undef FIELD
#undef VALUE
#undef FUNCTION
#undef FUNCTION_OF_12
#undef FUNCTION_OF_13
#undef NVML_VALUE
}

AbiDescription describe() {
    AbiDescription words;
#define PROPERTIES
#define PROPERTY(field)
#define SIZE(type) words[#type] = std::to_string(sizeof(type)) + " bytes";
#define FIELD(type, field) words[#type "." #field] = member(offsetof(type, field), sizeof(type::field));
#define VALUE(name) words[#name] = std::to_string(static_cast<long long>(name));
#define FUNCTION(name) words[#name] = Shape<decltype(name)>::text();
#ifdef ABI_OF_CUDA_12
#define FUNCTION_OF_12(name) FUNCTION(name)
#else
#define FUNCTION_OF_12(name)
#endif
#ifdef ABI_OF_CUDA_13
#define FUNCTION_OF_13(name) FUNCTION(name)
#else
#define FUNCTION_OF_13(name)
#endif
#define NVML_VALUE(ours, name) words[#ours] = std::to_string(static_cast<long long>(ABI_NVML(ours, name)));
#include "tests/core/pretend/abi_names.inc"
    return words;
}

}  // namespace
