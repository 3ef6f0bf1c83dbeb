#include "core/predict/axes/cliffs.h"

#include <algorithm>
#include <optional>

#include "core/predict/axes/axis.h"
#include "core/predict/axes/axis_walk.h"
#include "core/predict/axes/cliff_text.h"

#include "core/stack/shared.h"

namespace highwater::predict {

namespace {

using CliffKind = Cliff::Kind;
using stack::Experiment;
using stack::StackInfo;

constexpr base::Bytes kNotableFft = base::kGiB;

/// Calls `visit` with every convolution of the stack and its layer's index.
template <class Visit>
void eachConvolution(const std::vector<stack::Layer>& layers, const stack::Operators& operators,
                     const StackInfo& info, const stack::Step& step, int& index, const Visit& visit) {
    for (const stack::Layer& layer : layers) {
        const int here = index++;
        if (const auto* block = std::get_if<stack::Block>(&layer.op)) {
            eachConvolution(block->layers, operators, info, step, index, visit);
            continue;
        }
        for (const ConvKey& op :
             convolutionsOf(operators.of(layer), info.layers[static_cast<std::size_t>(here)].input, step)) {
            visit(here, op);
        }
    }
}

std::optional<Finding> judge(int layer, const ConvKey& op, const stack::Backend& backend,
                             const CudaVersions& versions) {
    const auto used = cudaConvBackend(op, backend.cudnn, versions, backend.deterministic);
    if (used == CudaConvBackend::Cudnn) {
        const base::Bytes fft = backend.deterministic ? 0 : fftBytes(op);
        const base::Bytes tensors = (op.inputElements() + op.outputElements()) * sizeOf(op.dtype);
        const bool capped = backend.workspaceLimit && *backend.workspaceLimit < kNotableFft;
        if (fft < kNotableFft || fft < tensors || capped) {
            return std::nullopt;
        }
        return Finding{CliffKind::Algorithm, layer, op, CudnnRefusal::None, fft};
    }
    const CudnnRefusal refusal = cudnnRefusal(op, backend.cudnn, versions, backend.deterministic);
    const base::Bytes columns = columnBytes(op);
    if (used == CudaConvBackend::Depthwise || columns == 0) {
        return std::nullopt;
    }
    if (refusal == CudnnRefusal::IndexRange) {
        return Finding{CliffKind::IndexRange, layer, op, refusal, columns};
    }
    if (refusal == CudnnRefusal::Autocast || refusal == CudnnRefusal::Bfloat16) {
        return Finding{CliffKind::Autocast, layer, op, refusal, columns};
    }
    return std::nullopt;
}

/// The first convolution of each layer that is on a cliff, for each kind of cliff.
std::vector<Finding> findings(const Experiment& e, const StackInfo& info, const CudaVersions& versions) {
    std::vector<Finding> found;
    int index = 0;
    eachConvolution(
        e.stack, stack::Operators(e.stack), info, e.step, index, [&](int layer, const ConvKey& op) {
            const auto finding = judge(layer, op, e.backend, versions);
            const bool known = finding && !found.empty() && found.back().layer == layer &&
                               found.back().kind == finding->kind && found.back().bytes >= finding->bytes;
            if (finding && !known) {
                found.push_back(*finding);
            }
        });
    return found;
}

bool has(const std::vector<Finding>& found, CliffKind kind) {
    return std::any_of(found.begin(), found.end(), [&](const Finding& f) { return f.kind == kind; });
}

/// Judges a size with all of the shape rules.
Judge throughShapes(CliffKind kind, Experiment& changed, const std::string& axis,
                    const CudaVersions& versions) {
    return [&, kind](std::int64_t size) {
        if (!setAxis(changed, axis, size)) {
            return Verdict::NotAccepted;
        }
        const auto info = stack::inferShapes(changed);
        if (!info) {
            return Verdict::NotAccepted;
        }
        return has(findings(changed, *info, versions), kind) ? Verdict::Unsafe : Verdict::Safe;
    };
}

/// Judges a size of a spatial axis with the rules of that axis alone.
Judge alongAxis(CliffKind kind, const Experiment& e, const StackInfo& info, AxisWalk& walk, std::size_t axis,
                const CudaVersions& versions) {
    return [&, kind, axis](std::int64_t size) {
        const auto* inputs = walk.inputs(size);
        if (inputs == nullptr) {
            return Verdict::NotAccepted;
        }
        for (std::size_t i = 0; i < inputs->size(); ++i) {
            stack::Shape input = info.layers[i].input;
            if (input.size() == 2) {  // after a flatten, where there is no convolution
                continue;
            }
            input[axis + 2] = (*inputs)[i];
            for (const ConvKey& op : convolutionsOf(walk.op(i), input, e.step)) {
                const auto found = judge(static_cast<int>(i), op, e.backend, versions);
                if (found && found->kind == kind) {
                    return Verdict::Unsafe;
                }
            }
        }
        return Verdict::Safe;
    };
}

std::vector<std::int64_t> safeAlong(CliffKind kind, const Experiment& e, const StackInfo& info,
                                    const std::string& axis, int index, const CudaVersions& versions) {
    constexpr std::size_t kMostQuick = 20'000, kMostThorough = 600;
    // A larger size can avoid an FFT of whole planes (2d), but never the index range.
    const bool above = kind == CliffKind::Algorithm;
    const std::int64_t now = axisSize(e, axis);
    Experiment changed = e;
    const Judge thorough = throughShapes(kind, changed, axis, versions);
    if (index >= 0 && !mixesAxes(e)) {
        AxisWalk walk(e, info, index);
        auto sizes = nearestSafe(now, above, kMostQuick,
                                 alongAxis(kind, e, info, walk, static_cast<std::size_t>(index), versions));
        const auto safe = [&](auto size) { return thorough(size) == Verdict::Safe; };
        if (!sizes.empty() && std::all_of(sizes.begin(), sizes.end(), safe)) {
            return sizes;
        }
    }
    return nearestSafe(now, above, kMostThorough, thorough);
}

/// Sizes at which no layer is on a cliff of that kind.
SafeSizes safeSizes(CliffKind kind, const Experiment& e, const StackInfo& info,
                    const CudaVersions& versions) {
    SafeSizes safe;
    if (kind == CliffKind::Autocast) {  // regardless of the size
        return safe;
    }
    int index = 0;
    for (const std::string& axis : axesOf(e)) {
        const bool batch = axis == "batch_size";
        if (kind == CliffKind::IndexRange && batch) {  // IndexRange is counted per sample
            continue;
        }
        auto sizes = safeAlong(kind, e, info, axis, batch ? -1 : index++, versions);
        if (!sizes.empty()) {
            safe[axis] = std::move(sizes);
        }
    }
    return safe;
}

}  // namespace

std::string_view cliffKey(CliffKind kind) {
    switch (kind) {
        case CliffKind::IndexRange:
            return "index_range";
        case CliffKind::Autocast:
            return "autocast";
        case CliffKind::Algorithm:
            break;
    }
    return "algorithm";
}

std::vector<Cliff> findCliffs(const Experiment& e, const StackInfo& info, const CudaVersions& versions) {
    std::vector<Cliff> cliffs;
    std::map<CliffKind, SafeSizes> safe;
    for (const Finding& f : findings(e, info, versions)) {
        if (!safe.contains(f.kind)) {
            safe[f.kind] = safeSizes(f.kind, e, info, versions);
        }
        Cliff cliff;
        cliff.kind = f.kind;
        cliff.layer = f.layer;
        cliff.layerName = info.layers[static_cast<std::size_t>(f.layer)].name;
        cliff.bytes = f.bytes;
        cliff.safe = safe[f.kind];
        cliff.message = cliffMessage(f, cliff.layerName, versions, cliff.safe, e);
        cliffs.push_back(std::move(cliff));
    }
    return cliffs;
}

}  // namespace highwater::predict
