#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/layers/tensors.h"

namespace highwater::stack {

/// Collects a layer's options in words: "kernel 3", "stride 2", "no bias".
struct Words {
    bool brief = false;   ///< for a row of the editor, which has a separate column for the channels
    int dims = 0;         ///< the number of spatial axes (for "3³"); 0 if unknown
    bool byBlock = true;  ///< include the marks set by blocks
    std::vector<std::string> all = {};

    void add(std::string text) { all.push_back(std::move(text)); }
    void addIf(bool yes, std::string text);
    /// Adds "stride 2", unless all are `usual`.
    void addSizes(std::string_view name, const Sizes& sizes, std::int64_t usual);
    void addPadding(const Padding& padding, PaddingMode mode = PaddingMode::Zeros);
    /// Adds "kernel 3", or "3³".
    void addKernel(const Sizes& kernel, int dims);
};

/// "3 × 3 × 1"
std::string sizesText(const Sizes& sizes);
/// "3" if all are equal, otherwise "1 × 3 × 3".
std::string equalSizesText(const Sizes& sizes);
/// "3³" for three equal numbers, otherwise "3 × 3 × 1". A single number counts as `dims` equal ones.
std::string powerText(const Sizes& sizes, int dims);
/// "-1, 8, 48"
std::string listText(const Sizes& sizes);
/// The ids that a merge reads: "enc1, enc2"; "?" if none is chosen yet.
std::string idsText(const std::vector<std::string>& ids);
bool allAre(const Sizes& sizes, std::int64_t value);

}  // namespace highwater::stack
