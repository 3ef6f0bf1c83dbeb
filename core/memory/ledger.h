#pragma once

#include <array>
#include <numeric>
#include <string_view>

#include "core/base/units.h"

namespace highwater::memory {

/// What an allocation is for. The order is the order of the stacked plots (bottom first) and of
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

/// The key in files: "input", "parameters", "optimizer_state", "gradients", "activations", "workspace",
/// "temporaries".
constexpr std::string_view categoryKey(Category c) {
    constexpr std::array<std::string_view, kCategoryCount> keys = {
        "input", "parameters", "optimizer_state", "gradients", "activations", "workspace", "temporaries"};
    return keys[static_cast<std::size_t>(c)];
}

/// Memory split by category at a moment. The bytes are what was asked of the allocator.
struct Ledger {
    std::array<base::Bytes, kCategoryCount> bytes{};

    base::Bytes& operator[](Category c) { return bytes[static_cast<std::size_t>(c)]; }
    base::Bytes operator[](Category c) const { return bytes[static_cast<std::size_t>(c)]; }
    base::Bytes total() const { return std::accumulate(bytes.begin(), bytes.end(), base::Bytes{0}); }
    bool operator==(const Ledger&) const = default;
};

}  // namespace highwater::memory
