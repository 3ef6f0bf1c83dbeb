#pragma once

#include "core/layers/about.h"

namespace highwater::stack {

struct Upsample {
    enum class Mode { Nearest, Linear, Bilinear, Trilinear };
    std::vector<double> scaleFactor = {2};  ///< used if `size` is empty
    Sizes size;
    Mode mode = Mode::Nearest;
    bool alignCorners = false;
    bool operator==(const Upsample&) const = default;
};

template <>
struct About<Upsample> : AboutMost {
    static constexpr std::array<std::string_view, 1> names = {"upsample"};
    static constexpr Group group = Group::Resolution;
    static constexpr std::array<std::string_view, 4> modes = {"nearest", "linear", "bilinear", "trilinear"};
    static base::Result<LayerRule> rule(const Upsample& op, const Shape& input, bool train);
    static std::int64_t sizeAlong(const Upsample& op, std::int64_t size, int dims, std::size_t axis);
    static AxisScale scaleAlong(const Upsample& op, std::size_t axis);
    static void words(const Upsample& op, Words& w);
    static python::Module module(const Upsample& op, const python::Place& at);
    template <class V>
    static void fields(V& v, const Upsample&) {
        using T = Upsample;
        v.factors("scale_factor", &T::scaleFactor, &T::size,
                  "How many times larger the output is; used where size is empty");
        v.sizes("size", &T::size, {.low = 1, .high = kMostSize, .mayBeEmpty = true},
                "The output's spatial sizes; empty: by scale_factor");
        v.choice("mode", &T::mode, modes,
                 "How values between voxels are computed; which linear mode fits depends on the number of "
                 "axes");
        v.toggle("align_corners", &T::alignCorners,
                 "The corner voxels keep their places; for the linear modes");
    }
};

}  // namespace highwater::stack
