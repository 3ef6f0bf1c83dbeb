#include "core/predict/cliffs.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/base/text.h"
#include "core/predict/axis.h"
#include "core/predict/axis_walk.h"
#include "core/predict/safe_sizes.h"

namespace highwater::predict {

namespace {

using Kind = Cliff::Kind;
using stack::Experiment;
using stack::StackInfo;

constexpr base::Bytes kNotableFft = base::kGiB;

struct Finding {
    Kind kind;
    int layer;
    ConvKey op;
    CudnnRefusal refusal;
    base::Bytes bytes;
};

/// Calls `visit` with every convolution of the stack and its layer's index.
template <class Visit>
void eachConvolution(const std::vector<stack::Layer>& layers, const StackInfo& info, const stack::Step& step,
                     int& index, const Visit& visit) {
    for (const stack::Layer& layer : layers) {
        const int here = index++;
        if (const auto* block = std::get_if<stack::Block>(&layer.op)) {
            eachConvolution(block->layers, info, step, index, visit);
            continue;
        }
        for (const ConvKey& op :
             convolutionsOf(layer.op, info.layers[static_cast<std::size_t>(here)].input, step))
            visit(here, op);
    }
}

std::optional<Finding> judge(int layer, const ConvKey& op, const stack::Backend& backend,
                             const CudaVersions& versions) {
    const auto used = cudaConvBackend(op, backend.cudnn, versions, backend.deterministic);
    if (used == CudaConvBackend::Cudnn) {
        const base::Bytes fft = backend.deterministic ? 0 : fftBytes(op);
        const base::Bytes tensors = (op.inputElements() + op.outputElements()) * sizeOf(op.dtype);
        const bool capped = backend.workspaceLimit && *backend.workspaceLimit < kNotableFft;
        if (fft < kNotableFft || fft < tensors || capped)
            return std::nullopt;
        return Finding{Kind::Algorithm, layer, op, CudnnRefusal::None, fft};
    }
    const CudnnRefusal refusal = cudnnRefusal(op, backend.cudnn, versions, backend.deterministic);
    const base::Bytes columns = columnBytes(op);
    if (used == CudaConvBackend::Depthwise || columns == 0)
        return std::nullopt;
    if (refusal == CudnnRefusal::IndexRange)
        return Finding{Kind::IndexRange, layer, op, refusal, columns};
    if (refusal == CudnnRefusal::Autocast || refusal == CudnnRefusal::Bfloat16)
        return Finding{Kind::Autocast, layer, op, refusal, columns};
    return std::nullopt;
}

/// The first convolution of each layer and kind that stands on a cliff.
std::vector<Finding> findings(const Experiment& e, const StackInfo& info, const CudaVersions& versions) {
    std::vector<Finding> found;
    int index = 0;
    eachConvolution(e.stack, info, e.step, index, [&](int layer, const ConvKey& op) {
        const auto finding = judge(layer, op, e.backend, versions);
        const bool known = finding && !found.empty() && found.back().layer == layer &&
                           found.back().kind == finding->kind && found.back().bytes >= finding->bytes;
        if (finding && !known)
            found.push_back(*finding);
    });
    return found;
}

using SafeSizes = std::map<std::string, std::vector<std::int64_t>>;

bool has(const std::vector<Finding>& found, Kind kind) {
    return std::any_of(found.begin(), found.end(), [&](const Finding& f) { return f.kind == kind; });
}

/// Tries a size with all of the shape rules.
Judge throughShapes(Kind kind, Experiment& changed, const std::string& axis, const CudaVersions& versions) {
    return [&, kind](std::int64_t size) {
        if (!setAxis(changed, axis, size))
            return Verdict::NotAccepted;
        const auto info = stack::inferShapes(changed);
        if (!info)
            return Verdict::NotAccepted;
        return has(findings(changed, *info, versions), kind) ? Verdict::Unsafe : Verdict::Safe;
    };
}

/// Tries a size of a spatial axis with the rules of that axis alone.
Judge alongAxis(Kind kind, const Experiment& e, const StackInfo& info, AxisWalk& walk, std::size_t axis,
                const CudaVersions& versions) {
    return [&, kind, axis](std::int64_t size) {
        const auto* inputs = walk.inputs(size);
        if (inputs == nullptr)
            return Verdict::NotAccepted;
        for (std::size_t i = 0; i < inputs->size(); ++i) {
            stack::Shape input = info.layers[i].input;
            input[axis + 2] = (*inputs)[i];
            for (const ConvKey& op : convolutionsOf(walk.op(i), input, e.step)) {
                const auto found = judge(static_cast<int>(i), op, e.backend, versions);
                if (found && found->kind == kind)
                    return Verdict::Unsafe;
            }
        }
        return Verdict::Safe;
    };
}

std::vector<std::int64_t> safeAlong(Kind kind, const Experiment& e, const StackInfo& info,
                                    const std::string& axis, int index, const CudaVersions& versions) {
    constexpr std::size_t kMostQuick = 20'000, kMostThorough = 600;
    // Larger tensors leave an FFT of whole planes (2d), never the index range.
    const bool above = kind == Kind::Algorithm;
    const std::int64_t now = axisSize(e, axis);
    Experiment changed = e;
    const Judge thorough = throughShapes(kind, changed, axis, versions);
    if (index >= 0) {
        AxisWalk walk(e, info, index);
        auto sizes = nearestSafe(now, above, kMostQuick,
                                 alongAxis(kind, e, info, walk, static_cast<std::size_t>(index), versions));
        if (std::all_of(sizes.begin(), sizes.end(),
                        [&](auto size) { return thorough(size) == Verdict::Safe; }))
            return sizes;
    }
    return nearestSafe(now, above, kMostThorough, thorough);
}

/// Sizes at which no layer stands on a cliff of that kind.
SafeSizes safeSizes(Kind kind, const Experiment& e, const StackInfo& info, const CudaVersions& versions) {
    SafeSizes safe;
    if (kind == Kind::Autocast)  // whatever the size
        return safe;
    int index = 0;
    for (const std::string& axis : axesOf(e)) {
        const bool batch = axis == "batch_size";
        if (kind == Kind::IndexRange && batch)  // counted by sample
            continue;
        auto sizes = safeAlong(kind, e, info, axis, batch ? -1 : index++, versions);
        if (!sizes.empty())
            safe[axis] = std::move(sizes);
    }
    return safe;
}

std::string grouped(std::int64_t number) {
    std::string digits = std::to_string(number);
    for (std::ptrdiff_t at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3)
        digits.insert(static_cast<std::size_t>(at), ",");
    return digits;
}

/// "width 361 or less, or height 369 or less": one change is enough.
std::string safeText(const SafeSizes& safe, const Experiment& e) {
    std::string text;
    for (const auto& [axis, sizes] : safe)
        for (const std::int64_t size : sizes)
            text += fmt::format("{}{} {} or {}", text.empty() ? "" : ", or ",
                                axis == "batch_size" ? "batch size" : axis, size,
                                size < axisSize(e, axis) ? "less" : "more");
    return text.empty() ? "no other size" : text;
}

/// "with cuDNN 8.9.2 (before 9.3)": what of the versions is too old for such tensors.
std::string tooOldText(const CudaVersions& v) {
    const bool torch = v.libtorch < memory::TorchVersion{2, 5}, cudnn = v.cudnn < CudnnVersion{9, 3, 0};
    if (torch && cudnn)
        return fmt::format("with cuDNN {} and LibTorch {} (before 9.3 and 2.5)", toText(v.cudnn),
                           toText(v.libtorch));
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
    if (f.refusal == CudnnRefusal::Bfloat16)
        return fmt::format(
            "bf16 convolutions do not use cuDNN {}: LibTorch takes a column buffer of {}; fp16 stays on "
            "cuDNN",
            v.architecture < 80 ? fmt::format("on compute capability {}.{} (8.0 or later does)",
                                              v.architecture / 10, v.architecture % 10)
                                : "with LibTorch 1.13 (2.0 or later does)",
            base::formatBytes(f.bytes));
    return fmt::format(
        "{} conv3d does not use cuDNN {} with LibTorch {} (it avoids cuDNN 9.8 to 9.14): a column buffer of "
        "{}; "
        "cuDNN 9.15 or later{} stays on cuDNN",
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

}  // namespace

std::string_view cliffKey(Kind kind) {
    switch (kind) {
        case Kind::IndexRange:
            return "index_range";
        case Kind::Autocast:
            return "autocast";
        case Kind::Algorithm:
            break;
    }
    return "algorithm";
}

std::vector<Cliff> findCliffs(const Experiment& e, const StackInfo& info, const CudaVersions& versions) {
    std::vector<Cliff> cliffs;
    std::map<Kind, SafeSizes> safe;
    for (const Finding& f : findings(e, info, versions)) {
        if (!safe.contains(f.kind))
            safe[f.kind] = safeSizes(f.kind, e, info, versions);
        Cliff cliff;
        cliff.kind = f.kind;
        cliff.layer = f.layer;
        cliff.layerName = info.layers[static_cast<std::size_t>(f.layer)].name;
        cliff.bytes = f.bytes;
        cliff.safe = safe[f.kind];
        const std::string sizes = safeText(cliff.safe, e);
        cliff.message = fmt::format("layer {}: {}", cliff.layerName,
                                    f.kind == Kind::IndexRange ? indexRangeText(f, versions, sizes)
                                    : f.kind == Kind::Autocast ? autocastText(f, versions)
                                                               : algorithmText(f, sizes));
        cliffs.push_back(std::move(cliff));
    }
    return cliffs;
}

}  // namespace highwater::predict
