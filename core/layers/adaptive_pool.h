#pragma once

#include "core/layers/about.h"
#include "core/layers/axis_size.h"

namespace highwater::stack {

/// Pools to fixed output sizes, regardless of the input's.
struct AdaptivePool {
    enum class Kind { Avg, Max };
    Kind kind = Kind::Avg;
    Sizes outputSize = {1};
    bool operator==(const AdaptivePool&) const = default;
};

template <>
struct About<AdaptivePool> : AboutMost {
    static constexpr std::array<std::string_view, 2> names = {"adaptive_avg_pool", "adaptive_max_pool"};
    static constexpr Group group = Group::Resolution;
    static base::Result<LayerRule> rule(const AdaptivePool& op, const Shape& input, bool train);
    static std::int64_t sizeAlong(const AdaptivePool& op, std::int64_t, int, std::size_t axis) {
        return along(op.outputSize, axis);
    }
    static void words(const AdaptivePool& op, Words& w);
    static python::Module module(const AdaptivePool& op, const python::Place& at) {
        const bool max = op.kind == AdaptivePool::Kind::Max;
        return {python::withDims(max ? "AdaptiveMaxPool" : "AdaptiveAvgPool", at.dims),
                {python::sizes(op.outputSize)}};
    }
    template <class V>
    static void fields(V& v, const AdaptivePool&) {
        v.sizes("output_size", &AdaptivePool::outputSize, {.low = 1, .high = kMostSize, .shown = true},
                "The output's spatial sizes, whatever the input's are: 1 is one value a channel");
    }
};

}  // namespace highwater::stack
