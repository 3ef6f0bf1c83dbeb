#include <gmock/gmock.h>

#include "core/predict/predict.h"
#include "core/stack/json/json.h"

/// Public reports of trainings that ran out of memory (tests/data/reports, docs/predicting.md).
namespace highwater::predict {
namespace {

struct Report {
    const char *file, *gpu;
    memory::TorchVersion libtorch;
    base::Bytes memory, others;  ///< 0: the profile's
};

Prediction predicted(const Report& report) {
    const auto experiment =
        stack::loadExperiment(std::string(HIGHWATER_SOURCE_DIR) + "/tests/data/reports/" + report.file);
    EXPECT_TRUE(experiment) << experiment.error().message;
    auto target = gpuTarget(report.gpu, *experiment, report.libtorch);
    EXPECT_TRUE(target) << target.error().message;
    if (report.memory > 0) {
        target->memory = target->gpu->memory = report.memory;
    }
    target->others = report.others;
    auto made = predict(*experiment, *stack::inferShapes(*experiment), *target);
    EXPECT_TRUE(made) << made.error().message;
    return *made;
}

/// It failed where 400 MiB were asked for, with 9.20 GiB allocated: a gradient of 50 x 32 x 256 x 256
/// numbers.
TEST(Reports, Nnunet337) {
    const Report report{"nnunet-337.json", "rtx2080ti", {1, 13}, 0, base::kGiB};
    const Prediction shared = predicted(report);
    EXPECT_NE(shared.fits, Fits::Yes);
    EXPECT_THAT(shared.outOfMemory, ::testing::HasSubstr("backward"));
    EXPECT_THAT(shared.outOfMemory, ::testing::HasSubstr("requests 400 MiB"));
    EXPECT_EQ(predicted({"nnunet-337.json", "rtx2080ti", {1, 13}, 0, 0}).fits, Fits::Yes)
        << "with the whole GPU to itself it fits";
}

/// It failed where 1.32 GiB were asked for: an attention of 1000 windows, 3 heads and 343 x 343 places.
TEST(Reports, Monai8042) {
    const Prediction shared = predicted({"monai-8042.json", "rtx4070", {2, 4}, 0, base::kGiB});
    EXPECT_NE(shared.fits, Fits::Yes);
    EXPECT_GT(shared.oomProbability, 0.3);
}

TEST(Reports, SmallCards) {
    EXPECT_NE(predicted({"nnunet-876.json", "rtx2080ti", {1, 13}, 6 * base::kGiB, 400 * base::kMiB}).fits,
              Fits::Yes);
    EXPECT_EQ(predicted({"pytorch-unet-18.json", "rtx2080ti", {1, 13}, 4 * base::kGiB, 0}).fits, Fits::No);
}

}  // namespace
}  // namespace highwater::predict
