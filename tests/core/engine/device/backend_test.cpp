#include "core/engine/device/backend.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <thread>

#include "core/engine/device/torch_compat.h"

namespace highwater::engine {
namespace {

using stack::Experiment;

template <class C, class Backend, class Op, class Precision>
bool isTf32(const C& context, Precision (C::*get)(Backend, Op) const) {
    return (context.*get)(Backend::CUDA, Op::CONV) == Precision::TF32;
}

template <class C>
bool convolutionsUseTf32(const C& context) {
    if constexpr (requires(std::string word) { context.float32Precision(word, word); }) {
        return context.float32Precision("cuda", "conv") == "tf32";
    } else if constexpr (requires { &C::float32Precision; }) {
        return isTf32(context, &C::float32Precision);
    } else {
        return context.allowTF32CuDNN();
    }
}

std::optional<std::string> variable(const char* name) {
    const char* const value = std::getenv(name);
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

Experiment everything() {
    Experiment e;
    e.backend.threads = at::get_num_threads() + 1;
    e.backend.onednn = e.backend.cudnn = false;
    e.backend.benchmark = e.backend.deterministic = e.backend.tf32 = true;
    e.backend.workspaceLimit = 100 * base::kMiB + 12345;
    return e;
}

struct Switches {
    Switches() = default;
    int threads = at::get_num_threads();
    bool onednn = at::globalContext().userEnabledMkldnn();
    bool cudnn = at::globalContext().userEnabledCuDNN();
    bool benchmark = at::globalContext().benchmarkCuDNN();
    bool deterministicCudnn = at::globalContext().deterministicCuDNN();
    bool deterministic = at::globalContext().deterministicAlgorithms();
    bool tf32 = convolutionsUseTf32(at::globalContext());
    bool tf32Products = at::globalContext().allowTF32CuBLAS();
    std::optional<std::string> workspace = variable("CUDNN_CONV_WSCAP_DBG");
    bool operator==(const Switches&) const = default;
};

/// First, because LibTorch prints such messages once per process.
TEST(Backend, SaysNothingOnStderr) {
    ::testing::internal::CaptureStderr();
    EXPECT_TRUE(configure(everything(), {}).ok());
    EXPECT_TRUE(configure(Experiment{}, {}).ok());
    EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

TEST(Backend, EverySwitchIsSetAndNothingStays) {
    ASSERT_TRUE(configure(Experiment{}, {}).ok());
    const Switches standard;
    EXPECT_TRUE(standard.onednn && standard.cudnn);
    EXPECT_FALSE(standard.benchmark || standard.deterministicCudnn || standard.deterministic ||
                 standard.tf32 || standard.tf32Products);

    ASSERT_TRUE(configure(everything(), {}).ok());
    const Switches changed;
    EXPECT_EQ(changed.threads, standard.threads + 1);
    EXPECT_FALSE(changed.onednn || changed.cudnn);
    EXPECT_TRUE(changed.benchmark && changed.deterministicCudnn && changed.deterministic && changed.tf32 &&
                changed.tf32Products);
    EXPECT_TRUE(at::globalContext().deterministicAlgorithmsWarnOnly());
    EXPECT_EQ(changed.workspace, "100") << "MiB, rounded down";

    ASSERT_TRUE(configure(Experiment{}, {}).ok());
    EXPECT_EQ(Switches(), standard);
}

TEST(Backend, RefusesMoreThreadsThanComputeTogether) {
    const std::int64_t processors = std::max(1U, std::thread::hardware_concurrency());
    EXPECT_TRUE(checkThreads(0).ok());
    EXPECT_TRUE(checkThreads(16 * processors).ok());
    Experiment e;
    e.backend.threads = 16 * processors + 1;
    const int before = at::get_num_threads();
    const auto refused = configure(e, {});
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().message.find("/backend/threads: " + std::to_string(e.backend.threads)), 0U);
    EXPECT_NE(refused.error().message.find("at most " + std::to_string(16 * processors)), std::string::npos);
    EXPECT_EQ(at::get_num_threads(), before);
}

TEST(Backend, Tf32AsPrecisionIsTheSameSwitch) {
    Experiment e;
    e.step.precision = stack::Precision::Tf32;
    ASSERT_TRUE(configure(e, {}).ok());
    EXPECT_TRUE(convolutionsUseTf32(at::globalContext()));
    ASSERT_TRUE(configure(Experiment{}, {}).ok());
    EXPECT_FALSE(convolutionsUseTf32(at::globalContext()));
}

TEST(Backend, AllocatorSettingsAreTheExperimentsBeforeTheEnvironments) {
    Experiment e;
    unsetenv("PYTORCH_CUDA_ALLOC_CONF");
    unsetenv("PYTORCH_ALLOC_CONF");
    EXPECT_EQ(allocatorSettings(e), "");
    setenv("PYTORCH_ALLOC_CONF", "max_split_size_mb:64", 1);
    EXPECT_EQ(allocatorSettings(e), "max_split_size_mb:64");
    setenv("PYTORCH_CUDA_ALLOC_CONF", "max_split_size_mb:32", 1);
    EXPECT_EQ(allocatorSettings(e), "max_split_size_mb:32");
    e.backend.allocConf = "expandable_segments:True";
    EXPECT_EQ(allocatorSettings(e), "expandable_segments:True");
    unsetenv("PYTORCH_CUDA_ALLOC_CONF");
    unsetenv("PYTORCH_ALLOC_CONF");
}

}  // namespace
}  // namespace highwater::engine
