#include <algorithm>
#include <map>

#include "core/stack/pytorch/network.h"
#include "core/stack/storages.h"

namespace highwater::stack::pytorch {

namespace {

struct Storage {
    bool kept = false;    ///< it must not be overwritten
    bool isRead = false;  ///< a layer with a separate output storage has read it
    int lastUse = -1;     ///< the last layer that reads it again by one of its names
};

/// The layer as core/stack's type, as far as its storage depends on it; std::nullopt for an unknown type,
/// which makes a new tensor and does not save its result.
std::optional<Op> opOf(const base::Json& layer) {
    auto op = makeOp(layer["type"].get<std::string>());
    if (op && std::holds_alternative<stack::Activation>(*op)) {
        std::get<stack::Activation>(*op).inplace = layer.value("inplace", false);
    } else if (op && std::holds_alternative<Merge>(*op)) {
        std::get<Merge>(*op).inplace = layer.value("inplace", false);
    } else if (op && std::holds_alternative<Dropout>(*op)) {
        std::get<Dropout>(*op).p = layer.value("p", 0.5);
    }
    return op;
}

/// The ids of earlier outputs that a layer reads.
std::vector<std::string> broughtBack(const base::Json& layer) {
    if (layer["type"] == "shared" || !layer.contains("with")) {
        return {};
    }
    const base::Json& with = layer["with"];
    return with.is_array() ? with.get<std::vector<std::string>>() : std::vector<std::string>{with};
}

class Settler {
public:
    explicit Settler(const Entries& entries) {
        int index = 0;
        for (const Entry& entry : entries) {
            for (const std::string& name : broughtBack(entry.layer)) {
                lastUse_[name] = index;
            }
            ++index;
        }
        renew();
        current().kept = true;  // the network's input
    }

    /// Whether the layer's `inplace` must be refused.
    bool refuses(base::Json& layer, int index);

private:
    Storage& current() { return all_[current_]; }
    void renew() {
        if (!all_.empty()) {
            current().isRead = true;
        }
        current_ = all_.size();
        all_.emplace_back();
    }
    std::vector<Storage> all_;
    std::size_t current_ = 0;
    std::map<std::string, std::size_t> owners_;
    std::map<std::string, int> lastUse_;
};

bool Settler::refuses(base::Json& layer, int index) {
    const bool inplace = layer.value("inplace", false);
    bool refused = false;
    if (layer["type"] == "branch") {
        current_ = owners_[layer["with"]];
        current().kept = current().kept || current().isRead;
    } else {
        for (const std::string& name : broughtBack(layer)) {
            if (const auto owner = owners_.find(name); owner != owners_.end()) {
                all_[owner->second].isRead = true;
            }
        }
    }
    if (layer["type"] == "branch") {
        // no new storage
    } else if (layer["type"] == "head") {
        current().kept = true;
    } else if (inplace && (current().kept || current().lastUse > index)) {
        layer.erase("inplace");
        refused = true;
        renew();
    } else if (const auto part = opOf(layer); part && isPart(*part)) {
        renew();
        current().kept = true;
    } else if (const auto op = opOf(layer); !inplace && !(op && passesThrough(*op, true))) {
        renew();
    }
    if (const auto op = opOf(layer); op && savesResult(*op)) {
        current().kept = true;
    }
    if (layer.contains("id")) {
        const std::string id = layer["id"];
        if (const auto use = lastUse_.find(id); use != lastUse_.end()) {
            current().lastUse = std::max(current().lastUse, use->second);
        }
        owners_[id] = current_;
    }
    return refused;
}

}  // namespace

std::vector<const Entry*> settleInplace(Entries& entries) {
    Settler settler(entries);
    std::vector<const Entry*> refused;
    int index = 0;
    for (Entry& entry : entries) {
        if (settler.refuses(entry.layer, index++)) {
            refused.push_back(&entry);
        }
    }
    return refused;
}

}  // namespace highwater::stack::pytorch
