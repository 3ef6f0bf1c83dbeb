#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/stack/experiment.h"

/// Tracks which storage each layer's output is in, so that an in-place layer is refused exactly if it would
/// overwrite a value that is still needed (the rules: shapes.h). Private to core/stack.
namespace highwater::stack {

class Storages {
public:
    struct Use {
        int layer = 0;  ///< its index
        std::string_view type;
    };
    /// The ids that are read again, each with the last layer that does so.
    using LastUse = std::map<std::string, Use, std::less<>>;

    explicit Storages(const LastUse& lastUse) : lastUse_(lastUse), all_(1) {}

    /// Applies layer `index` to the current tensor, which becomes the layer's output. Error if the layer must
    /// not work in place. `label` is the layer's name in errors.
    std::optional<base::Error> apply(const Op& op, int index, const std::string& label, bool train);
    /// Applies branch `index`: the current tensor becomes the output called `id`. Error if the previous
    /// tensor would be unused.
    std::optional<base::Error> branch(const std::string& id, int index, const std::string& label);
    /// Gives the current tensor the name `id`; it is the output of the layer `label`.
    void name(const std::string& id, const std::string& label);

private:
    struct Named {
        std::string id, label;
        Use lastUse;  ///< the last layer that reads it again
    };
    struct Storage {
        std::string savedBy;  ///< the layer that saved it as its result; empty if none did
        std::string readBy;   ///< what else reads it, worded for errors; empty if nothing does
        bool isRead = false;  ///< a layer with a separate output storage has read it
        bool feedsHead = false;
        std::vector<Named> names;  ///< those that are read again, at least until they are looked up
    };
    std::optional<base::Error> refuse(const Op& op, int index);
    /// The first of the current tensor's names that a layer after `index` reads; nullptr if there is none.
    /// Discards the others: a tensor can have thousands.
    const Named* neededAfter(int index);

    const LastUse& lastUse_;
    Storage& current() { return all_[current_]; }
    Storage* named(std::string_view id);
    void add() { current_ = all_.size(), all_.emplace_back(); }

    std::vector<Storage> all_;  ///< the first one is the network's input
    std::map<std::string, std::size_t, std::less<>>
        owners_;               ///< for each id: the storage, as an index of all_
    std::size_t current_ = 0;  ///< index of the current tensor's storage
};

}  // namespace highwater::stack
