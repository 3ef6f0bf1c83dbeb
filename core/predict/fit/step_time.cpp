#include "core/predict/fit/step_time.h"

#include <algorithm>
#include <array>
#include <functional>
#include <string_view>

#include "core/predict/fit/roofline.h"
#include "core/predict/ghost/ops.h"

namespace highwater::predict {

namespace {

constexpr std::array<std::string_view, 8> kMoving = {
    "elementwise", "norm", "pool", "pool_backward", "upsample", "upsample_backward", "copy", "concat"};
constexpr std::array<std::string_view, 4> kTensorConvolutions = {"conv/tensor", "conv_1x1/tensor",
                                                                 "depthwise/tensor", "conv_transpose/tensor"};
constexpr Efficiency kProducts{0.4, 0.7, 0.9}, kTensorProducts{0.12, 0.4, 0.75};

/// The launches on the host: low, expected, high, relative to the expected.
constexpr double kHostLow = 0.45, kHostHigh = 2.7;

DType typeOf(std::string_view name) {
    return name == "f16" ? DType::Float16 : name == "bf16" ? DType::BFloat16 : DType::Float32;
}

/// A literal, as WalkOp wants it.
std::string_view movingFamily(std::string_view name) {
    const auto found = std::ranges::find(kMoving, name);
    return found != kMoving.end() ? *found : kMoving.front();
}

std::string_view convolutionFamily(const ConvKey& key, bool tf32) {
    const std::string_view family = ghost::convFamily(key);
    const auto found = std::ranges::find_if(
        kTensorConvolutions, [&](std::string_view each) { return each.substr(0, each.find('/')) == family; });
    return tf32 && found != kTensorConvolutions.end() ? *found : family;
}

double tensorRoof(const DeviceProfile& gpu, std::string_view type) {
    return type == "f16" ? gpu.fp16 : type == "bf16" ? gpu.bf16 : type == "tf32" ? gpu.tf32 : 0;
}

TimeEstimate productTime(const StepOperator& op, std::string_view type, const DeviceProfile& gpu) {
    const double tensor = tensorRoof(gpu, type), roof = tensor > 0 ? tensor : gpu.fp32;
    const Efficiency& share = tensor > 0 ? kTensorProducts : kProducts;
    const auto found = gpu.memoryEfficiency.find("elementwise");
    const Efficiency moving =
        found != gpu.memoryEfficiency.end() ? found->second : Efficiency{0.5, 0.8, 0.95};
    const auto ms = [&](double compute, double memory, double launches) {
        return op.count * 1e3 *
               std::max({op.operations / (roof * compute), op.bytes / (gpu.bytesPerSecond * memory),
                         launches * gpu.launchUs * 1e-6});
    };
    return {ms(share.high, moving.high, 0.5), ms(share.expected, moving.expected, 1),
            ms(share.low, moving.low, 2.5)};
}

}  // namespace

base::Result<StepTime> stepTime(const StepOperators& step, const DeviceProfile& gpu, double dispatchUs) {
    StepTime made;
    Walk walk;
    std::vector<std::string> families;
    const auto add = [&](const std::string& family, const TimeEstimate& time) {
        made.device += time;
        const auto part =
            std::ranges::find_if(made.parts, [&](const auto& each) { return each.family == family; });
        if (part == made.parts.end()) {
            made.parts.push_back({family, time});
        } else {
            part->ms += time;
        }
    };
    for (const StepOperator& op : step.operators) {
        if (op.family == "product") {
            const bool tf32 = step.tf32Products && op.type == "f32";
            add(op.family, productTime(op, tf32 ? "tf32" : op.type, gpu));
            continue;
        }
        WalkOp& walked = walk.ops.emplace_back();
        walked.dtype = typeOf(op.type);
        walked.repeats = op.count;
        families.push_back(op.family);
        if (op.family != "convolution") {
            walked.family = movingFamily(op.family);
            walked.bytesMoved = op.bytes;
            continue;
        }
        const auto key = HIGHWATER_TRY(parseConvKey(op.convolution));
        const bool backward = key.pass == ConvKey::Pass::Backward;
        const double passes = backward ? (key.inputGradient ? 1 : 0) + (key.weightGradient ? 1 : 0) : 1;
        walked.family = convolutionFamily(key, op.type == "tf32" && gpu.tf32 > 0);
        walked.flops = 2 * passes * key.multiplyAdds();
        walked.bytesMoved =
            passes * static_cast<double>(sizeOf(key.dtype)) *
            static_cast<double>(key.inputElements() + key.outputElements() + key.weightElements());
        walked.convolution = static_cast<std::int32_t>(walk.convolutions.size());
        walk.convolutions.push_back({key});
    }
    Target target;
    target.gpu = gpu;
    target.settings.benchmark = step.benchmark;
    const std::vector<TimeEstimate> times = operatorTimes(walk, target);
    for (std::size_t i = 0; i < times.size(); ++i) {
        add(families[i], times[i]);
    }
    std::ranges::sort(made.parts, std::greater{}, [](const auto& part) { return part.ms.expected; });
    made.device = wholeStep(made.device, gpu);
    const double host = static_cast<double>(step.dispatches) * dispatchUs * 1e-3;
    made.host = {host * kHostLow, host, host * kHostHigh};
    made.step = {std::max(made.device.low, made.host.low), std::max(made.device.expected, made.host.expected),
                 std::max(made.device.high, made.host.high)};
    return made;
}

}  // namespace highwater::predict
