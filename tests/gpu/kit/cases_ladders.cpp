#include <fmt/format.h>

#include "tests/gpu/kit/build.h"
#include "tests/gpu/kit/case.h"

namespace highwater::kit {

base::Result<std::vector<Case>> ladderCases(Scale scale) {
    std::vector<Case> cases;
    const std::int64_t n3 = size3d(scale, 96), n2 = size2d(scale, 256);
    for (const std::int64_t batch : {1, 2, 3, 4, 8}) {
        auto made = preset("unet-3d", fmt::format("batch-{}-3d", batch), {n3, n3, n3}, batch);
        if (!made) {
            return made.error();
        }
        cases.push_back({"ladders", std::move(*made)});
    }
    int rung = 0;
    for (const std::int64_t patch : {48, 64, 80, 112, 160}) {
        const std::int64_t n = scale == Scale::Gpu ? patch : patch / 4;
        const std::string name = fmt::format("patch-rung-{}-3d", ++rung);
        cases.push_back({"ladders", segmentation(name, {1, n, n, n}, 2, unit(16) + unit(32) + unit(16))});
    }
    for (const std::int64_t batch : {1, 4, 16, 32}) {
        cases.push_back({"ladders", segmentation(fmt::format("batch-{}-2d", batch), {3, n2, n2}, batch,
                                                 unit(32) + unit(64) + unit(32))});
    }
    return cases;
}

base::Result<std::vector<CapacityLadder>> capacityLadders(Scale scale) {
    const bool gpu = scale == Scale::Gpu;
    std::vector<CapacityLadder> ladders(4);
    ladders[0].name = "unet-3d by batch";
    ladders[1].name = "plain-3d by patch";
    ladders[2].name = "plain-2d by batch, bf16 where there is";
    ladders[3].name = "unet-3d by patch";
    for (std::int64_t i = 1; i <= 13; ++i) {
        const std::string rung = fmt::format(" {}", i);
        const std::int64_t n3 = size3d(scale, 64), n2 = size2d(scale, 256);
        auto batch = preset("unet-3d", ladders[0].name + rung, {n3, n3, n3}, i);
        const std::int64_t n = gpu ? 64 + 4 * i : 16 + i;
        const std::int64_t patch = gpu ? 48 + 8 * i : 8 + 8 * ((i + 2) / 3), flat = gpu ? 96 : 16;
        auto sizes = preset("unet-3d", ladders[3].name + rung, {flat, flat, patch}, gpu ? 2 : 1);
        for (const auto* made : {&batch, &sizes}) {
            if (!*made) {
                return made->error();
            }
        }
        ladders[0].rungs.push_back(std::move(*batch));
        ladders[1].rungs.push_back(
            segmentation(ladders[1].name + rung, {1, n, n, n}, 2, unit(16) + unit(32)));
        ladders[2].rungs.push_back(
            segmentation(ladders[2].name + rung, {3, n2, n2}, gpu ? 4 * i : i, unit(32) + unit(32)));
        if (gpu) {
            ladders[2].rungs.back().step.precision = stack::Precision::Bf16;
        }
        ladders[3].rungs.push_back(std::move(*sizes));
    }
    return ladders;
}

}  // namespace highwater::kit
