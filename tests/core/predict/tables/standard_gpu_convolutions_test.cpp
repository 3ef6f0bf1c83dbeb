#include <gmock/gmock.h>

#include <map>
#include <set>

#include "core/predict/axes/cliffs.h"
#include "core/predict/fit/roofline.h"
#include "core/predict/workspaces/workspace.h"
#include "tests/gpu/convolutions/gpu_convolutions.h"

namespace highwater::predict {
namespace {

std::string nameOf(const GpuConvolution& each) {
    return each.op.text() + " " + each.switches.text();
}

int passesOf(const ConvKey& op) {
    return op.pass == ConvKey::Pass::Forward ? 1 : op.inputGradient + op.weightGradient;
}

double elementsOf(const ConvKey& op) {
    return static_cast<double>(op.inputElements() + op.outputElements() + op.weightElements());
}

TEST(StandardGpuConvolutions, AreSomeHundredsEachOnce) {
    const auto all = standardGpuConvolutions();
    EXPECT_GE(all.size(), 250U);
    EXPECT_LE(all.size(), 400U);
    EXPECT_EQ(all, standardGpuConvolutions());
    std::set<std::string> names;
    for (const GpuConvolution& each : all) {
        EXPECT_TRUE(names.insert(nameOf(each)).second) << nameOf(each);
        const auto same = parseConvKey(each.op.text());
        ASSERT_TRUE(same) << same.error().message;
        EXPECT_EQ(*same, each.op);
        EXPECT_FALSE(each.switches.tf32 && each.op.dtype != DType::Float32);
    }
}

TEST(StandardGpuConvolutions, CoverWhatNetworksAreMadeOf) {
    std::map<std::string, int> kinds;
    for (const auto& [op, switches] : standardGpuConvolutions()) {
        const auto count = [&](bool is, const std::string& kind) { kinds[kind] += is ? 1 : 0; };
        ++kinds[std::to_string(op.dims) + "d"];
        ++kinds["k" + std::to_string(op.kernel[static_cast<std::size_t>(op.dims) - 1])];
        ++kinds["n" + std::to_string(op.batch)];
        ++kinds["c" + std::to_string(op.inChannels)];
        count(op.stride[2] == 2 || op.stride[1] == 2, "strided");
        count(op.transposed, "transposed");
        count(op.pass == ConvKey::Pass::Backward && !op.inputGradient, "first");
        count(op.channelsLast, "channels_last");
        count(op.dtype == DType::Float16, "fp16");
        count(op.dtype == DType::BFloat16, "bf16");
        count(switches.tf32, "tf32");
        count(switches.benchmark, "benchmark");
        count(switches.deterministic, "deterministic");
    }
    for (const char* kind :
         {"1d", "2d", "3d", "strided", "transposed", "channels_last", "fp16", "bf16", "tf32"}) {
        EXPECT_GE(kinds[kind], 20) << kind;
    }
    for (const char* kind : {"k1", "k2", "k3", "k5", "k7", "n1", "n2", "n4", "c1", "c16", "c32", "c64",
                             "c128", "c256", "c320", "c512", "first", "benchmark", "deterministic"}) {
        EXPECT_GE(kinds[kind], 4) << kind;
    }
}

TEST(StandardGpuConvolutions, NeedAtMostEightGibibytesEach) {
    for (const auto& [op, switches] : standardGpuConvolutions()) {
        CudaSettings settings;
        settings.tf32 = switches.tf32;
        settings.benchmark = switches.benchmark;
        double bytes = elementsOf(op) * static_cast<double>(sizeOf(op.dtype)) *
                       (op.pass == ConvKey::Pass::Forward ? 1 : 2);
        const ConvPart last =
            op.pass == ConvKey::Pass::Forward ? ConvPart::Forward : ConvPart::WeightGradient;
        CudaVersions versions;
        versions.architecture = 90;
        versions.cudnn = {8, 5, 0};  // it has the widest ranges
        bytes += static_cast<double>(cudnnWorkspace(op, last, settings, versions).high);
        EXPECT_LE(bytes, 8.0 * base::kGiB) << op.text();
    }
}

/// The assumed seconds of a device for all of them, six runs each.
double secondsOn(const char* id) {
    Target target;
    target.id = id;
    target.gpu = *loadProfile(id);
    Walk walk;
    for (const auto& [op, switches] : standardGpuConvolutions()) {
        WalkOp each;
        each.family = switches.tf32 ? "conv/tensor" : "conv";
        each.dtype = op.dtype;
        each.flops = 2 * passesOf(op) * op.multiplyAdds();
        each.bytesMoved = passesOf(op) * elementsOf(op) * static_cast<double>(sizeOf(op.dtype));
        walk.ops.push_back(each);
    }
    double seconds = 0;
    constexpr double kBefore = 0.2;  // creating tensors, finding a plan and loading its kernels
    for (const TimeEstimate& time : operatorTimes(walk, target)) {
        seconds += kBefore + 6 * time.expected * 1e-3;
    }
    return seconds;
}

TEST(StandardGpuConvolutions, TakeLessThanThreeMinutesInTheDataCenter) {
    EXPECT_LT(secondsOn("h200"), 120);
    EXPECT_LT(secondsOn("a100-40"), 180);
    EXPECT_GT(secondsOn("h200"), 1);
}

}  // namespace
}  // namespace highwater::predict
