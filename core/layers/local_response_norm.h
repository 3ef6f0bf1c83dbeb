#pragma once

#include "core/layers/about.h"

namespace highwater::stack {

/// x / (k + alpha * the mean of x^2 over `size` channels)^beta.
struct LocalResponseNorm {
    std::int64_t size = 5;
    double alpha = 1e-4;
    double beta = 0.75;
    double k = 1;
    bool operator==(const LocalResponseNorm&) const = default;
};

template <>
struct About<LocalResponseNorm> : AboutMost {
    static constexpr std::array<std::string_view, 1> names = {"local_response_norm"};
    static constexpr Group group = Group::Normalization;
    static base::Result<LayerRule> rule(const LocalResponseNorm& op, const Shape& input, bool train);
    static void words(const LocalResponseNorm& op, Words& w);
    static python::Module module(const LocalResponseNorm& op, const python::Place& at);
    template <class V>
    static void fields(V& v, const LocalResponseNorm&) {
        using T = LocalResponseNorm;
        v.integer("size", &T::size, {1, kMostExtent},
                  "The number of neighboring channels whose squares are averaged");
        v.number("alpha", &T::alpha, -kMostNumber, kMostNumber, "The factor of the average");
        v.number("beta", &T::beta, -kMostNumber, kMostNumber, "The power of the divisor");
        v.number("k", &T::k, -kMostNumber, kMostNumber, "What is added to the average");
    }
};

}  // namespace highwater::stack
