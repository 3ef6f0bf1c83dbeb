#pragma once

#include <array>
#include <numeric>
#include <string_view>

#include "core/base/units.h"

namespace highwater::memory {

/// The purpose of an allocation. This is also the order in the stacked plots (bottom first) and in
/// `Ledger::bytes`.
enum class Category : unsigned char {
    Input,
    Parameters,
    OptimizerState,
    Gradients,
    Activations,
    Workspace,
    Temporaries
};

inline constexpr int kCategoryCount = 7;
inline constexpr std::array<Category, kCategoryCount> kCategories = {
    Category::Input,       Category::Parameters, Category::OptimizerState, Category::Gradients,
    Category::Activations, Category::Workspace,  Category::Temporaries};

/// The category's key in files: "input", "parameters", "optimizer_state", "gradients", "activations",
/// "workspace", "temporaries".
constexpr std::string_view categoryKey(Category c) {
    constexpr std::array<std::string_view, kCategoryCount> keys = {
        "input", "parameters", "optimizer_state", "gradients", "activations", "workspace", "temporaries"};
    return keys[static_cast<std::size_t>(c)];
}

/// Memory at one moment, split by category, in bytes. Counts requested sizes, not rounded block sizes.
struct Ledger {
    std::array<base::Bytes, kCategoryCount> bytes{};

    base::Bytes& operator[](Category c) { return bytes[static_cast<std::size_t>(c)]; }
    base::Bytes operator[](Category c) const { return bytes[static_cast<std::size_t>(c)]; }
    base::Bytes total() const { return std::accumulate(bytes.begin(), bytes.end(), base::Bytes{0}); }
    bool operator==(const Ledger&) const = default;
};

}  // namespace highwater::memory
