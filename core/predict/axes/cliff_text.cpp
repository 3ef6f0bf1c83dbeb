#include "core/predict/axes/cliff_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/predict/axes/axis.h"

namespace highwater::predict {

namespace {

using stack::Experiment;

std::string grouped(std::int64_t number) {
    std::string digits = std::to_string(number);
    for (std::ptrdiff_t at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3) {
        digits.insert(static_cast<std::size_t>(at), ",");
    }
    return digits;
}

/// "width 361 or less, or height 369 or less": one change is enough.
std::string safeText(const SafeSizes& safe, const Experiment& e) {
    std::string text;
    for (const auto& [axis, sizes] : safe) {
        for (const std::int64_t size : sizes) {
            text += fmt::format("{}{} {} or {}", text.empty() ? "" : ", or ",
                                axis == "batch_size" ? "batch size" : axis, size,
                                size < axisSize(e, axis) ? "less" : "more");
        }
    }
    return text.empty() ? "no other size" : text;
}

/// "with cuDNN 8.9.2 (before 9.3)": names the version that is too old for such tensors.
std::string tooOldText(const CudaVersions& v) {
    const bool torch = v.libtorch < memory::TorchVersion{2, 5}, cudnn = v.cudnn < CudnnVersion{9, 3, 0};
    if (torch && cudnn) {
        return fmt::format("with cuDNN {} and LibTorch {} (before 9.3 and 2.5)", toText(v.cudnn),
                           toText(v.libtorch));
    }
    return torch ? fmt::format("with LibTorch {} (before 2.5)", toText(v.libtorch))
                 : fmt::format("with cuDNN {} (before 9.3)", toText(v.cudnn));
}

std::string indexRangeText(const Finding& f, const CudaVersions& v, const std::string& safe) {
    const std::int64_t input = f.op.inputElements() / f.op.batch, output = f.op.outputElements() / f.op.batch;
    return fmt::format(
        "one sample's {} has {} elements, more than 2^31-1; {} LibTorch falls back to a column buffer of {}; "
        "{} stays on cuDNN",
        input >= output ? "input" : "output", grouped(std::max(input, output)), tooOldText(v),
        base::formatBytes(f.bytes), safe);
}

std::string autocastText(const Finding& f, const CudaVersions& v) {
    const std::string_view type = f.op.dtype == DType::Float16 ? "fp16" : "bf16";
    if (f.refusal == CudnnRefusal::Bfloat16) {
        return fmt::format(
            "bf16 convolutions do not use cuDNN {}: LibTorch takes a column buffer of {}; fp16 stays on "
            "cuDNN",
            v.architecture < 80 ? fmt::format("on compute capability {}.{} (8.0 or later does)",
                                              v.architecture / 10, v.architecture % 10)
                                : "with LibTorch 1.13 (2.0 or later does)",
            base::formatBytes(f.bytes));
    }
    return fmt::format(
        "{} conv3d does not use cuDNN {} with LibTorch {} (2.9 and 2.10 avoid cuDNN 9.8 to 9.14): a column "
        "buffer of {}; LibTorch 2.11 or later, cuDNN 9.15 or later{} stays on cuDNN",
        type, toText(v.cudnn), toText(v.libtorch), base::formatBytes(f.bytes),
        v.libtorch == memory::TorchVersion{2, 9} ? ", or (from 2.9.1 on) channels_last"
                                                 : ", or channels_last");
}

std::string algorithmText(const Finding& f, const std::string& safe) {
    const auto& k = f.op.kernel;
    return fmt::format(
        "cuDNN may choose an FFT for its kernel of {}, with a workspace of about {} (a guess, not measured); "
        "{}, "
        "or a kernel of 5, stays below 1 GiB",
        *std::max_element(k.begin(), k.end()), base::formatBytes(f.bytes), safe);
}

std::string text(const Finding& f, const CudaVersions& versions, const std::string& safe) {
    switch (f.kind) {
        case Cliff::Kind::IndexRange:
            return indexRangeText(f, versions, safe);
        case Cliff::Kind::Autocast:
            return autocastText(f, versions);
        case Cliff::Kind::Algorithm:
            break;
    }
    return algorithmText(f, safe);
}

}  // namespace

std::string cliffMessage(const Finding& finding, std::string_view layer, const CudaVersions& versions,
                         const SafeSizes& safe, const Experiment& experiment) {
    return fmt::format("layer {}: {}", layer, text(finding, versions, safeText(safe, experiment)));
}

}  // namespace highwater::predict
