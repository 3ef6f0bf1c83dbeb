#pragma once

#include <random>

#include "core/stack/shapes.h"

namespace highwater::stack::testing {

/// Replaces norms and activations by an inplace_abn, and adds some after other layers, wherever the stack
/// stays valid. The same seed gives the same result for the same experiment.
class WithInplaceAbn {
public:
    WithInplaceAbn(Experiment& experiment, std::uint64_t seed) : experiment_(experiment), random_(seed) {
        visit({});
    }
    int made() const { return made_; }

private:
    using Path = std::vector<std::size_t>;

    std::vector<Layer>& list(Experiment& of, const Path& path) const {
        std::vector<Layer>* at = &of.stack;
        for (const std::size_t i : path) {
            at = &std::get<Block>((*at)[i].op).layers;
        }
        return *at;
    }

    void visit(const Path& path) {
        for (std::size_t i = 0; i < list(experiment_, path).size(); ++i) {
            const Op& op = list(experiment_, path)[i].op;
            if (std::holds_alternative<Block>(op)) {
                Path within = path;
                within.push_back(i);
                visit(within);
            } else if (std::holds_alternative<Norm>(op) || std::holds_alternative<Activation>(op)) {
                if (random_() % 3 != 0) {
                    attempt(path, i, true);
                }
            } else if (random_() % 2 == 0) {
                attempt(path, i + 1, false);
            }
        }
    }

    /// Keeps the change if the stack is still valid.
    void attempt(const Path& path, std::size_t at, bool replace) {
        Experiment changed = experiment_;
        std::vector<Layer>& layers = list(changed, path);
        InplaceAbn abn;
        abn.activation = static_cast<InplaceAbn::Function>(random_() % 2);
        abn.negativeSlope = random_() % 2 == 0 ? 0.01 : 0.2;
        if (replace) {
            layers[at].op = abn;
        } else {
            layers.insert(layers.begin() + static_cast<std::ptrdiff_t>(at), Layer{"", abn});
        }
        if (!inferShapes(changed)) {
            return;
        }
        experiment_ = std::move(changed);
        ++made_;
    }

    Experiment& experiment_;
    std::mt19937_64 random_;
    int made_ = 0;
};

}  // namespace highwater::stack::testing
