#include "core/stack/rewrites.h"

#include <algorithm>
#include <functional>
#include <optional>

#include "core/layers/activation.h"
#include "core/stack/shapes.h"

namespace highwater::stack {

namespace {

using base::Error;
using base::Result;

/// Changes an experiment at the places that `choose` selects. It calls `choose` once for each place, in
/// order.
using Choose = std::function<bool()>;
using Rewrite = std::function<void(Experiment&, const Choose&)>;

/// Changes as many places as possible while keeping the experiment valid. If a range of places is refused,
/// its halves are tried separately.
class Greedy {
public:
    Greedy(const Experiment& base, const Rewrite& rewrite) : base_(base), rewrite_(rewrite), best_(base) {
        rewrite(best_, [&] {
            chosen_.push_back(false);
            return false;
        });
    }
    std::size_t places() const { return chosen_.size(); }
    Result<Experiment> run() {
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
        const auto info = inferShapes(changed);
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
    eachLayer<Activation>(e, [&](Layer&, Activation& op) {
        if (!op.inplace && factsOf(op.kind).hasInplaceForm && choose()) {
            op.inplace = true;
        }
    });
}

/// The fused layer for a batch norm and the activation after it, if there is one.
std::optional<InplaceAbn> fused(const Layer& first, const Layer& second) {
    const auto* norm = std::get_if<Norm>(&first.op);
    const auto* activation = std::get_if<Activation>(&second.op);
    if (!norm || norm->kind != Norm::Kind::Batch || !norm->affine || !first.id.empty() || !activation) {
        return std::nullopt;
    }
    InplaceAbn abn;
    abn.eps = norm->eps;
    if (activation->kind == Activation::Kind::Elu) {
        abn.activation = InplaceAbn::Function::Elu;
        return abn;
    }
    abn.negativeSlope = activation->negativeSlope;
    const bool invertible = activation->kind == Activation::Kind::LeakyRelu && abn.negativeSlope >= 1e-6 &&
                            abn.negativeSlope <= 1;
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

}  // namespace

Result<Experiment> withInplaceActivations(const Experiment& experiment) {
    const Rewrite rewrite = rewriteInplace;
    Greedy greedy(experiment, rewrite);
    if (greedy.places() == 0) {
        return Error{"every activation that has an in-place form works in place already, or there is none"};
    }
    return greedy.run();
}

Result<Experiment> withInplaceAbn(const Experiment& experiment) {
    const Rewrite rewrite = rewriteAbn;
    Greedy greedy(experiment, rewrite);
    if (greedy.places() == 0) {
        return Error{
            "no batch_norm (affine, without an id) is followed by leaky_relu or elu; relu cannot be "
            "inverted"};
    }
    return greedy.run();
}

}  // namespace highwater::stack
