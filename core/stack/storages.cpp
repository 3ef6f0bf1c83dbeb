#include "core/stack/storages.h"

#include <fmt/format.h>

namespace highwater::stack {

const Storages::Named* Storages::neededAfter(int index) {
    std::vector<Named>& names = current().names;
    std::erase_if(names, [&](const Named& each) { return each.lastUse.layer <= index; });
    return names.empty() ? nullptr : &names.front();
}

std::optional<base::Error> Storages::refuse(const Op& op, int index) {
    const std::string_view advice = std::holds_alternative<InplaceAbn>(op)
                                        ? "use batch_norm and an activation instead"
                                        : "set inplace to false";
    const Storage& current = all_[current_];
    if (current_ == 0) {
        return base::Error{
            fmt::format("cannot work in place on the network's input, which is the data; {}", advice)};
    }
    if (!current.savedBy.empty()) {
        return base::Error{
            fmt::format("cannot work in place on the output of {}, which is saved for backward; {}",
                        current.savedBy, advice)};
    }
    if (!current.readBy.empty()) {
        return base::Error{fmt::format("cannot work in place on what {}; {}", current.readBy, advice)};
    }
    if (const Named* const needed = neededAfter(index)) {
        return base::Error{fmt::format(
            "cannot work in place on the output \"{}\" of {}, which layer {} `{}` brings back; {}",
            needed->id, needed->label, needed->lastUse.layer + 1, needed->lastUse.type, advice)};
    }
    return std::nullopt;
}

Storages::Storage* Storages::named(std::string_view id) {
    const auto owner = owners_.find(id);
    return owner == owners_.end() ? nullptr : &all_[owner->second];
}

std::optional<base::Error> Storages::apply(const Op& op, int index, const std::string& label, bool train) {
    if (const auto* merge = std::get_if<Merge>(&op)) {
        for (const std::string& id : merge->with) {
            if (Storage* const read = named(id)) {
                read->isRead = true;
            }
        }
    }
    if (std::holds_alternative<Head>(op)) {
        current().readBy = label + " reads and keeps for backward";
        current().feedsHead = true;
    } else if (worksInPlace(op)) {
        if (auto error = refuse(op, index)) {
            return error;
        }
    } else if (!passesThrough(op, train)) {
        current().isRead = true;
        add();
    } else if (isPart(op)) {
        current().isRead = true;
        add();
        current().readBy = std::holds_alternative<Crop>(op) ? label + " cuts out of a larger tensor"
                                                            : label + " gives, a view of another tensor";
    }
    if (savesResult(op)) {
        current().savedBy = label;
    }
    return std::nullopt;
}

std::optional<base::Error> Storages::branch(const std::string& id, int index, const std::string& label) {
    if (!current().feedsHead && !neededAfter(index)) {
        return base::Error{
            "leaves the output before it without a use; give that an id and bring it back later"};
    }
    if (const Storage* const back = named(id)) {
        current_ = static_cast<std::size_t>(back - all_.data());
    }
    if (current().isRead) {
        current().readBy = fmt::format("{} brings back and another path reads", label);
    }
    return std::nullopt;
}

void Storages::name(const std::string& id, const std::string& label) {
    owners_.insert_or_assign(id, current_);
    if (const auto use = lastUse_.find(id); use != lastUse_.end()) {
        current().names.push_back({id, label, use->second});
    }
}

}  // namespace highwater::stack
