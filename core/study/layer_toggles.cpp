#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>

#include "core/stack/activations.h"
#include "core/stack/shapes.h"
#include "core/study/toggle_applies.h"

namespace highwater::study {

using base::Error;
using stack::Experiment;
using stack::Layer;

namespace {

/// Visits every list of layers in the order of execution, a list before those inside it.
template <class Visit>
void eachList(std::vector<Layer>& layers, const Visit& visit) {
    visit(layers);
    for (Layer& layer : layers) {
        if (auto* block = std::get_if<stack::Block>(&layer.op)) {
            eachList(block->layers, visit);
        }
    }
}

template <class Op, class Visit>
void each(Experiment& e, const Visit& visit) {
    eachList(e.stack, [&](std::vector<Layer>& layers) {
        for (Layer& layer : layers) {
            if (auto* op = std::get_if<Op>(&layer.op)) {
                visit(layer, *op);
            }
        }
    });
}

/// Changes an experiment at the places that `choose` selects. It calls `choose` once for each place, in
/// order.
using Choose = std::function<bool()>;
using Rewrite = std::function<void(Experiment&, const Choose&)>;

/// Changes as many places as possible so that the experiment stays valid. If a range of places is refused,
/// its halves are tried by themselves.
class Greedy {
public:
    Greedy(const Experiment& base, const Rewrite& rewrite) : base_(base), rewrite_(rewrite), best_(base) {
        rewrite(best_, [&] {
            chosen_.push_back(false);
            return false;
        });
    }
    std::size_t places() const { return chosen_.size(); }
    Switched run() {
        tryRange(0, chosen_.size());
        if (std::find(chosen_.begin(), chosen_.end(), true) == chosen_.end()) {
            return refusal_;
        }
        return best_;
    }

private:
    void tryRange(std::size_t begin, std::size_t end) {
        std::fill(chosen_.begin() + static_cast<std::ptrdiff_t>(begin),
                  chosen_.begin() + static_cast<std::ptrdiff_t>(end), true);
        Experiment changed = base_;
        std::size_t at = 0;
        rewrite_(changed, [&] { return static_cast<bool>(chosen_[at++]); });
        const auto info = stack::inferShapes(changed);
        if (info) {
            best_ = std::move(changed);
            return;
        }
        refusal_ = info.error();
        std::fill(chosen_.begin() + static_cast<std::ptrdiff_t>(begin),
                  chosen_.begin() + static_cast<std::ptrdiff_t>(end), false);
        if (end - begin == 1) {
            return;
        }
        const std::size_t middle = (begin + end) / 2;
        tryRange(begin, middle);
        tryRange(middle, end);
    }

    const Experiment& base_;
    const Rewrite& rewrite_;
    Experiment best_;
    std::vector<bool> chosen_;
    Error refusal_;
};

void rewriteInplace(Experiment& e, const Choose& choose) {
    each<stack::Activation>(e, [&](Layer&, stack::Activation& op) {
        if (!op.inplace && stack::factsOf(op.kind).hasInplaceForm && choose()) {
            op.inplace = true;
        }
    });
}

/// The fused layer for a batch norm and the activation after it, if there is one.
std::optional<stack::InplaceAbn> fused(const Layer& first, const Layer& second) {
    const auto* norm = std::get_if<stack::Norm>(&first.op);
    const auto* activation = std::get_if<stack::Activation>(&second.op);
    if (!norm || norm->kind != stack::Norm::Kind::Batch || !norm->affine || !first.id.empty() ||
        !activation) {
        return std::nullopt;
    }
    stack::InplaceAbn abn;
    abn.eps = norm->eps;
    if (activation->kind == stack::Activation::Kind::Elu) {
        abn.activation = stack::InplaceAbn::Function::Elu;
        return abn;
    }
    abn.negativeSlope = activation->negativeSlope;
    const bool invertible = activation->kind == stack::Activation::Kind::LeakyRelu &&
                            abn.negativeSlope >= 1e-6 && abn.negativeSlope <= 1;
    return invertible ? std::optional(abn) : std::nullopt;
}

void rewriteAbn(Experiment& e, const Choose& choose) {
    eachList(e.stack, [&](std::vector<Layer>& layers) {
        for (std::size_t i = 0; i + 1 < layers.size(); ++i) {
            if (const auto abn = fused(layers[i], layers[i + 1]); abn && choose()) {
                layers[i + 1].op = *abn;
                layers.erase(layers.begin() + static_cast<std::ptrdiff_t>(i));
            }
        }
    });
}

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
        return Error{"every block is checkpointed already"};
    }
    return ifValid(std::move(changed));
}

Switched poolFirst(const Experiment& e) {
    const auto before = stack::inferShapes(e);
    if (!before) {
        return before.error();
    }
    if (std::holds_alternative<stack::Pool>(e.stack.front().op)) {
        return Error{"the stack begins with pooling already"};
    }
    stack::Pool pool;
    pool.kind = stack::Pool::Kind::Avg;
    pool.kernelSize.clear();
    for (std::size_t axis = 2; axis < before->input.size(); ++axis) {
        pool.kernelSize.push_back(before->input[axis] > 1 ? 2 : 1);
    }
    if (!wide(pool.kernelSize)) {
        return Error{"there is nothing to pool: the input has one value an axis"};
    }
    Experiment changed = e;
    changed.stack.insert(changed.stack.begin(), Layer{"", pool});
    if (stack::inferShapes(changed)) {
        return changed;
    }
    changed.stack.push_back(upsampleTo(before->output));
    return ifValid(std::move(changed));
}

Switched separable(const Experiment& e) {
    Experiment changed = e;
    each<stack::Conv>(changed, [](Layer& layer, const stack::Conv& conv) {
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
    each<stack::CustomConv>(changed, [](Layer&, stack::CustomConv& conv) {
        conv.implementation = stack::CustomConv::Implementation::Fused;
    });
    if (changed == e) {
        return Error{"no custom_conv has another implementation than fused"};
    }
    return ifValid(std::move(changed));
}

Switched inplaceActivations(const Experiment& e) {
    const Rewrite rewrite = rewriteInplace;
    Greedy greedy(e, rewrite);
    if (greedy.places() == 0) {
        return Error{"every activation that has an in-place form works in place already, or there is none"};
    }
    return greedy.run();
}

Switched inplaceAbn(const Experiment& e) {
    const Rewrite rewrite = rewriteAbn;
    Greedy greedy(e, rewrite);
    if (greedy.places() == 0) {
        return Error{
            "no batch_norm (affine, without an id) is followed by leaky_relu or elu; relu cannot be "
            "inverted"};
    }
    return greedy.run();
}

}  // namespace highwater::study
