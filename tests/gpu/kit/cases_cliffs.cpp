#include "tests/gpu/kit/build.h"
#include "tests/gpu/kit/case.h"

namespace highwater::kit {

namespace {

Case big(stack::Experiment e) {
    Case made{"cliffs", std::move(e)};
    made.warmup = 1;
    made.steps = 2;
    made.big = true;
    return made;
}

/// One convolution whose output has 32 channels: 2^31 elements at 512 x 512 x 256.
stack::Experiment wide(std::string name, std::int64_t width) {
    stack::Experiment e =
        experiment(std::move(name), {1, 512, 512, width}, 1, {{"", conv(32)}, {"", conv(1)}});
    e.optimizer = stack::makeOptimizer(stack::Optimizer::Kind::Sgd);
    return e;
}

stack::Experiment at(stack::Experiment e, stack::Precision precision) {
    e.step.precision = precision;
    return e;
}

stack::Experiment withoutCudnn(Scale scale, std::string name, stack::Precision precision) {
    const std::int64_t n = size3d(scale, 96);
    stack::Experiment e = segmentation(std::move(name), {1, n, n, n}, 1, unit(24) + unit(24));
    e.backend.cudnn = false;
    return at(std::move(e), precision);
}

}  // namespace

std::vector<Case> cliffCases(Scale scale) {
    const std::int64_t n3 = size3d(scale, 128), n2 = size2d(scale, 1024);
    using stack::Precision;
    std::vector<Case> cases = {
        {"cliffs", withoutCudnn(scale, "no-cudnn-columns", Precision::Fp32)},
        {"cliffs", withoutCudnn(scale, "no-cudnn-columns-bf16", Precision::Bf16)},
        // In bf16 and fp16, 3d, contiguous: some versions leave cuDNN from kernel 3 on, and not for kernel 1.
        {"cliffs",
         at(segmentation("autocast-kernel-3", {1, n3, n3, n3}, 1, unit(16) + unit(32)), Precision::Bf16)},
        {"cliffs",
         at(segmentation("autocast-kernel-1", {1, n3, n3, n3}, 1, {{"", conv(16, 1)}, {"", conv(32, 1)}}),
            Precision::Bf16)},
        {"cliffs", experiment("fft-kernel-11-2d", {3, n2, n2}, 2, {{"", conv(32, 11)}, {"", conv(8, 11)}})},
        {"cliffs", experiment("single-channel-3d", {1, n3, n3, n3}, 2, {{"", conv(1)}, {"", conv(1)}})},
    };
    for (Case each : {big(wide("index-range-below", 255)), big(wide("index-range-above", 257)),
                      big(at(wide("index-range-below-bf16", 255), Precision::Bf16)),
                      big(at(wide("index-range-above-bf16", 257), Precision::Bf16))}) {
        if (scale == Scale::Gpu) {
            cases.push_back(std::move(each));
        }
    }
    return cases;
}

}  // namespace highwater::kit
