#include <fmt/format.h>

#include <algorithm>

#include "core/stack/rewrites.h"
#include "core/stack/shapes.h"
#include "core/study/toggle_applies.h"

namespace highwater::study {

using base::Error;
using stack::Experiment;
using stack::Layer;

namespace {

bool wide(const stack::Sizes& kernel) {
    return std::any_of(kernel.begin(), kernel.end(), [](std::int64_t size) { return size > 1; });
}

stack::SeparableConv separated(const stack::Conv& conv) {
    return {conv.dims,    conv.outChannels, conv.kernelSize, conv.stride,
            conv.padding, conv.paddingMode, conv.dilation,   1,
            conv.bias};
}

/// An upsampling of the stack's output to the size of its input.
Layer upsampleTo(const stack::Shape& shape) {
    stack::Upsample up;
    up.scaleFactor.clear();
    up.size.assign(shape.begin() + 2, shape.end());
    up.mode = static_cast<stack::Upsample::Mode>(up.size.size());  // linear, bilinear, trilinear
    return {"", up};
}

}  // namespace

Switched checkpointBlocks(const Experiment& e) {
    if (!e.step.train) {
        return Error{"without training nothing is kept for a backward; set /step/train to true"};
    }
    Experiment changed = e;
    changed.step.checkpoint = {};
    bool any = false;
    for (Layer& layer : changed.stack) {
        if (auto* block = std::get_if<stack::Block>(&layer.op)) {
            any = true;
            block->checkpoint = true;
        }
    }
    if (!any) {
        return Error{"the stack has no blocks; group layers into blocks, or checkpoint sqrt(n) segments"};
    }
    if (changed == e) {
        return Error{"every block is already checkpointed"};
    }
    return ifValid(std::move(changed));
}

Switched poolFirst(const Experiment& e) {
    const auto before = HIGHWATER_TRY(stack::inferShapes(e));
    if (std::holds_alternative<stack::Pool>(e.stack.front().op)) {
        return Error{"the stack already begins with pooling"};
    }
    stack::Pool pool;
    pool.kind = stack::Pool::Kind::Avg;
    pool.kernelSize.clear();
    for (std::size_t axis = 2; axis < before.input.size(); ++axis) {
        pool.kernelSize.push_back(before.input[axis] > 1 ? 2 : 1);
    }
    if (!wide(pool.kernelSize)) {
        return Error{"there is nothing to pool: the input has one value per axis"};
    }
    Experiment changed = e;
    changed.stack.insert(changed.stack.begin(), Layer{"", pool});
    if (stack::inferShapes(changed)) {
        return changed;
    }
    changed.stack.push_back(upsampleTo(before.output));
    return ifValid(std::move(changed));
}

Switched separable(const Experiment& e) {
    Experiment changed = e;
    stack::eachLayer<stack::Conv>(changed, [](Layer& layer, const stack::Conv& conv) {
        if (conv.groups == 1 && wide(conv.kernelSize)) {
            layer.op = stack::Op(separated(conv));
        }
    });
    if (changed == e) {
        return Error{"no conv has a kernel above 1 and groups 1, so that none can be separated"};
    }
    return ifValid(std::move(changed));
}

Switched fusedCustomConv(const Experiment& e) {
    Experiment changed = e;
    stack::eachLayer<stack::CustomConv>(changed, [](Layer&, stack::CustomConv& conv) {
        conv.implementation = stack::CustomConv::Implementation::Fused;
    });
    if (changed == e) {
        return Error{"no custom_conv has another implementation than fused"};
    }
    return ifValid(std::move(changed));
}

Switched inplaceActivations(const Experiment& e) {
    return stack::withInplaceActivations(e);
}

Switched inplaceAbn(const Experiment& e) {
    return stack::withInplaceAbn(e);
}

}  // namespace highwater::study
