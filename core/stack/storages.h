#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/stack/experiment.h"

/// Which tensor's memory each layer's output lies in, so that working in place is refused exactly where it
/// would overwrite a value that is still wanted (the rules: shapes.h). Private to core/stack.
namespace highwater::stack {

/// Autograd keeps the layer's result for backward (memory-model.md section 2): relu, and in place leaky_relu,
/// elu and inplace_abn. The others keep their input or nothing (silu in place keeps a copy of its input).
bool savesResult(const Op& op);
/// The output is the input itself: dropout without effect.
bool passesThrough(const Op& op, bool train);

class Storages {
public:
    /// Which ids are brought back, and the index of the last layer that does so.
    using LastUse = std::map<std::string, int, std::less<>>;

    explicit Storages(const LastUse& lastUse) : lastUse_(lastUse), all_(1) {}

    /// Layer `index` of that name takes the current tensor and gives the next one; an error where it must not
    /// work in place. `label` is how errors name it.
    std::optional<base::Error> apply(const Op& op, int index, const std::string& label, bool train);
    /// The current tensor becomes the output called `id`, by the branch `index`; an error where the tensor
    /// before it would be left without a use.
    std::optional<base::Error> branch(const std::string& id, int index, const std::string& label);
    /// The current tensor is also the output called `id`, of the layer `label`.
    void name(const std::string& id, const std::string& label);

private:
    struct Named {
        std::string id, label;
    };
    struct Storage {
        std::string savedBy;  ///< the layer whose saved result it holds; empty for none
        std::string readBy;   ///< who else reads it, as errors say it; empty for nobody
        std::vector<Named> names;
    };
    std::optional<base::Error> refuse(const Op& op, int index) const;

    const LastUse& lastUse_;
    Storage& current() { return all_[current_]; }
    void add() { current_ = all_.size(), all_.emplace_back(); }

    std::vector<Storage> all_;  ///< the first is the network's input
    std::size_t current_ = 0;   ///< the current tensor's
};

}  // namespace highwater::stack
