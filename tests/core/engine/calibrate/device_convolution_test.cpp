#include "tests/gpu/convolutions/device_convolution.h"

#include <gmock/gmock.h>
#include <torch/version.h>

#include <cstdlib>

#include "core/engine/calibrate/convolution_run.h"
#include "core/engine/device/device.h"
#include "core/predict/axes/cliffs.h"
#include "tests/gpu/convolutions/gpu_convolutions.h"
#include "tests/gpu/convolutions/workspaces.h"

namespace highwater::engine {
namespace {

using predict::ConvKey;
using predict::GpuOpRow;
using ::testing::AnyOf;
using ::testing::HasSubstr;

ConvKey key(const std::string& text) {
    const auto parsed = predict::parseConvKey(text);
    EXPECT_TRUE(parsed) << text;
    return *parsed;
}

constexpr const char* kForward = "conv3d/f/n2/c4,8/i12,12,12/k3,3,3/s1,1,1/p1,1,1/d1,1,1/g1/b";
constexpr const char* kBackward = "conv3d/b/n2/c4,8/i12,12,12/k3,3,3/s1,1,1/p1,1,1/d1,1,1/g1/b/gi/gw";

std::string whyNot(const ConvKey& op, const DeviceConvolutionOptions& options = {},
                   const std::atomic<bool>* cancel = nullptr) {
    const auto row = measureDeviceConvolution(op, options, cancel);
    return row ? "measured" : row.error().message;
}

TEST(DeviceConvolution, IsAGpus) {
    EXPECT_THAT(whyNot(key(kForward), {.device = "cpu"}), HasSubstr("measured on one"));
    EXPECT_THAT(whyNot(key(kForward), {.device = "tpu"}), HasSubstr("choose cpu, cuda or cuda:N"));
}

/// Why there is no GPU; std::nullopt if there is one, or a pretended one.
std::optional<std::string> noGpu() {
    return unusable(Device{true, 0});
}

TEST(DeviceConvolution, SaysInOneLineWhyThereIsNoGpu) {
    const auto why = noGpu();
    if (!why) {
        GTEST_SKIP() << "there is a GPU";
    }
    const std::string said = whyNot(key(kForward));
    EXPECT_EQ(said, *why);
    EXPECT_EQ(said.find('\n'), std::string::npos);
}

/// A pass on the CPU, parsed like a GPU's: LibTorch's own CPU kernels have no workspaces of this order, but
/// results must be found and nothing may outlive the pass.
TEST(DeviceConvolution, ItsPassesAreThoseOfATrainingStep) {
    for (const char* text :
         {kForward, kBackward, "conv1d/f/n2/c3,4/i64/k3/s1/p1/d1/g1/b",
          "conv2d/b/n2/c4,8/i20,20/k3,3/s1,1/p1,1/d1,1/g1/b/gw",
          "conv_transpose3d/b/n1/c8,4/i6,6,6/k2,2,2/s2,2,2/p0,0,0/d1,1,1/g1/o0,0,0/b/gi/gw",
          "conv3d/b/n2/c4,8/i12,12,12/k3,3,3/s1,1,1/p1,1,1/d1,1,1/g1/b/gi/gw/strided"}) {
        const ConvKey op = key(text);
        ConvolutionRun run(op);
        run.run();  // oneDNN keeps objects that it created
        const ConvolutionRun::Pass pass = run.run();
        const auto addresses = addressesOf(pass.results);
        const bool forward = op.pass == ConvKey::Pass::Forward;
        EXPECT_EQ(addresses[0] != nullptr, forward || op.inputGradient) << text;
        EXPECT_EQ(addresses[1] != nullptr, !forward && op.weightGradient) << text;
        const auto row = workspacesOf(op, pass.log, addresses);
        ASSERT_TRUE(row) << text << ": " << row.error().message;
        EXPECT_EQ(row->forward.has_value(), forward) << text;
        EXPECT_EQ(row->inputGradient.has_value(), op.inputGradient) << text;
        EXPECT_EQ(row->weightGradient.has_value(), op.weightGradient) << text;
    }
}

TEST(DeviceConvolution, MakesTensorsOfItsTypeAndLayout) {
    for (const char* suffix : {"", "/bf16", "/cl", "/bf16/cl"}) {
        const ConvKey op = key(std::string(kBackward) + suffix);
        ConvolutionRun run(op);
        const auto results = run.run([] {}, [] {});
        const at::ScalarType type = op.dtype == predict::DType::BFloat16 ? at::kBFloat16 : at::kFloat;
        for (const at::Tensor& result : results) {
            EXPECT_EQ(result.scalar_type(), type) << suffix;
        }
        // 1.13's CPU gives a contiguous gradient whatever came in, and so does any for bfloat16 where oneDNN
        // takes none of it: without AVX-512.
        const bool keepsLayout =
            TORCH_VERSION_MAJOR >= 2 && (type == at::kFloat || __builtin_cpu_supports("avx512bw") != 0);
        if (keepsLayout) {
            EXPECT_EQ(results[0].is_contiguous(at::MemoryFormat::ChannelsLast3d), op.channelsLast) << suffix;
        }
        EXPECT_EQ(ConvolutionRun::tensorBytes(op),
                  2.0 * static_cast<double>(sizeOf(op.dtype)) *
                      static_cast<double>(op.inputElements() + op.outputElements() + op.weightElements()));
    }
}

TEST(DeviceConvolution, RefusesWhatCannotBeMeasured) {
    if (const auto why = noGpu()) {
        GTEST_SKIP() << *why;
    }
    ConvKey op = key(kForward);
    op.output[0] = 7;
    EXPECT_THAT(whyNot(op), HasSubstr("do not fit each other"));
    op = key(kBackward);
    op.inputGradient = op.weightGradient = false;
    EXPECT_THAT(whyNot(op), HasSubstr("without a wanted gradient"));
    EXPECT_THAT(whyNot(key("conv2d/f/n1/c8388608,65536/i1,1/k1,1/s1,1/p0,0/d1,1/g1")),
                HasSubstr("its weight takes"));
    EXPECT_THAT(whyNot(key("conv3d/f/n1/c1,64/i16384,16384,2048/k1,1,1/s1,1,1/p0,0,0/d1,1,1/g1")),
                AnyOf(HasSubstr("out of memory"), HasSubstr("memory")));
    const std::atomic<bool> cancel{true};
    EXPECT_EQ(whyNot(key(kForward), {}, &cancel), "cancelled");
    EXPECT_EQ(whyNot(key(kForward)), "measured");
}

/// The pretended device's cuDNN requests the workspaces given in HIGHWATER_PRETEND_WORKSPACE, in bytes of
/// input (x), weight (w) and output (y).
class ToldWorkspaces : public ::testing::Test {
protected:
    void SetUp() override {
        const char* const rules = std::getenv("HIGHWATER_PRETEND_WORKSPACE");
        if (rules == nullptr || std::string(rules) != "forward=2*x+512,input=w,weight=0.5*y+100|0") {
            GTEST_SKIP() << "not the pretended device with this test's rules";
        }
        ASSERT_EQ(noGpu(), std::nullopt);
    }
};

void expectTold(const std::string& shape, const std::string& suffix) {
    const ConvKey forward = key(shape + suffix);
    ConvKey both = forward;
    both.pass = ConvKey::Pass::Backward;
    both.inputGradient = both.weightGradient = true;
    const base::Bytes size = sizeOf(forward.dtype), x = forward.inputElements() * size,
                      w = forward.weightElements() * size, y = forward.outputElements() * size;
    const auto one = measureDeviceConvolution(forward, {}), two = measureDeviceConvolution(both, {});
    ASSERT_TRUE(one) << forward.text() << ": " << one.error().message;
    ASSERT_TRUE(two) << both.text() << ": " << two.error().message;
    EXPECT_EQ(one->forward, 2 * x + 512) << forward.text();
    EXPECT_EQ(two->inputGradient, w) << both.text();
    EXPECT_EQ(two->weightGradient, y / 2 + 100) << both.text();
    EXPECT_FALSE(one->inputGradient || one->weightGradient || two->forward);
    both.gradientContiguous = false;
    const auto strided = measureDeviceConvolution(both, {});
    ASSERT_TRUE(strided) << strided.error().message;
    EXPECT_EQ(strided->inputGradient, w);
    EXPECT_EQ(strided->weightGradient, y / 2 + 100);
    both.inputGradient = false, both.gradientContiguous = true;
    const auto first = measureDeviceConvolution(both, {});
    ASSERT_TRUE(first) << first.error().message;
    EXPECT_EQ(first->weightGradient, y / 2 + 100);
}

TEST_F(ToldWorkspaces, AreWhatIsMeasured) {
    for (const char* type : {"", "/fp16", "/bf16"}) {
        for (const char* layout : {"", "/cl"}) {
            expectTold("conv3d/f/n2/c4,8/i12,12,12/k3,3,3/s1,1,1/p1,1,1/d1,1,1/g1/b",
                       std::string(type) + layout);
            expectTold("conv2d/f/n2/c4,8/i20,20/k3,3/s2,2/p1,1/d1,1/g1", std::string(type) + layout);
        }
    }
    expectTold("conv1d/f/n2/c4,8/i200/k3/s1/p1/d1/g1/b", "");
}

/// The requests of the list's convolutions: in cuDNN's view, a transposed convolution has input and output
/// swapped.
/// swapped.
TEST_F(ToldWorkspaces, AreMeasuredOfEveryStandardConvolution) {
    const predict::CudaVersions here{.architecture = 90};
    for (const auto& [op, switches] : predict::standardGpuConvolutions()) {
        const auto row = measureDeviceConvolution(op, {.tf32 = switches.tf32,
                                                       .benchmark = switches.benchmark,
                                                       .deterministic = switches.deterministic,
                                                       .repeats = 1});
        ASSERT_TRUE(row) << op.text() << ": " << row.error().message;
        const bool asks = predict::cudaConvBackend(op, true, here, switches.deterministic) ==
                          predict::CudaConvBackend::Cudnn;
        const base::Bytes size = sizeOf(op.dtype), x = op.inputElements() * size,
                          w = op.weightElements() * size, y = op.outputElements() * size;
        const auto expect = [&](const std::optional<base::Bytes>& measured, base::Bytes told) {
            if (measured) {
                EXPECT_EQ(*measured, asks ? told : 0) << op.text() << " " << switches.text();
            }
        };
        expect(row->forward, op.transposed ? w : 2 * x + 512);
        expect(row->inputGradient, op.transposed ? 2 * y + 512 : w);
        expect(row->weightGradient, (op.transposed ? x : y) / 2 + 100);
    }
}

TEST_F(ToldWorkspaces, AreMeasuredUnderEachSwitch) {
    const ConvKey op = key(kForward);
    const base::Bytes told = 2 * 4 * op.inputElements() + 512;
    for (const DeviceConvolutionOptions& options :
         {DeviceConvolutionOptions{.tf32 = true}, DeviceConvolutionOptions{.deterministic = true},
          DeviceConvolutionOptions{.repeats = 1}, DeviceConvolutionOptions{.device = "cuda:0"}}) {
        const auto row = measureDeviceConvolution(op, options);
        ASSERT_TRUE(row) << row.error().message;
        EXPECT_EQ(row->forward, told);
        EXPECT_GE(row->microseconds, 0);
    }
}

}  // namespace
}  // namespace highwater::engine
