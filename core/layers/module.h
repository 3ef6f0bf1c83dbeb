#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/layers/tensors.h"

/// A layer as a PyTorch module.
namespace highwater::stack::python {

/// Returns the shortest text that Python reads as the same double.
std::string literal(double value);
std::string literal(bool value);
std::string literal(std::int64_t value);
/// Returns 3 if all sizes are equal or there is only one, otherwise (1, 3, 3).
std::string sizes(const Sizes& sizes);
/// Returns a tuple, also for a single entry.
std::string tuple(const std::vector<std::string>& entries);
std::string tuple(const Sizes& values);

/// A constructor call with its arguments, which may themselves be constructor calls (in an nn.Sequential).
struct Module {
    std::string name = {};
    std::vector<std::string> arguments = {};
    std::vector<Module> inside = {};
    std::string remark = {};  ///< a comment at the end of the line

    Module& add(std::string argument);
    /// Adds "name=value" if the value is not PyTorch's default.
    Module& add(const char* name, const Sizes& value, std::int64_t standard);
    Module& add(const char* name, std::int64_t value, std::int64_t standard);
    Module& add(const char* name, double value, double standard);
    Module& add(const char* name, bool value, bool standard);
    Module& add(const Padding& padding, PaddingMode mode);
    /// Adds each number as an argument.
    Module& addAll(const Sizes& values);
    /// Sets the momentum of batch statistics (0.1) that are updated `runs` times a step.
    Module& addMomentum(int runs);
};

/// The position in the network for which a module is created.
struct Place {
    int dims = 0;
    std::int64_t channels = 0;
    std::int64_t features = 0;  ///< size of the last axis
    int runs = 1;               ///< how often a step runs its forward, including recomputation
};

/// A Python class that PyTorch does not have, and the layers of type T that need it.
template <class T>
struct Source {
    std::string_view text;  ///< ends with one line break
    bool (*needed)(const T&) = [](const T&) { return true; };
};

/// The text that defines this class, which PyTorch does not have; empty if no file of resources/export/layers
/// begins with it.
std::string_view classText(std::string_view name);

/// "nn.Conv3d". For a tensor of N, C the one-axis norm is used.
std::string withDims(const char* name, int dims);
/// A convolution with kernel 1.
Module pointwise(std::int64_t in, std::int64_t out, bool bias, int dims);

}  // namespace highwater::stack::python
