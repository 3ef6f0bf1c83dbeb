#include "core/stack/nnunet/configurations.h"

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <set>

#include "core/base/text.h"

namespace highwater::stack {

using base::Error;
using base::Json;
using base::Result;

std::string nnunetPlace(std::string_view configuration) {
    return fmt::format("/configurations/{}", base::oneLine(configuration, 60));
}

namespace {

/// The configuration that this one inherits from; null if there is none.
const Json* parentOf(const Json& configuration) {
    const auto at = configuration.is_object() ? configuration.find("inherits_from") : configuration.end();
    return !configuration.is_object() || at == configuration.end() || at->is_null() ? nullptr : &*at;
}

}  // namespace

NnunetConfigurations::NnunetConfigurations(const Json& plans) {
    const auto all = plans.is_object() ? plans.find("configurations") : plans.end();
    if (!plans.is_object() || all == plans.end() || !all->is_object()) {
        return;
    }
    there_ = true;
    for (const auto& [name, value] : all->items()) {
        byName_.emplace(name, all_.size());
        all_.emplace_back(name, &value);
    }
}

Result<NnunetConfigurations::Chain> NnunetConfigurations::chainOf(std::string_view configuration) const {
    if (!there_) {
        return Error{"/configurations: is missing; a plans file of nnU-Net has them"};
    }
    Chain chain;
    std::set<std::string_view> seen;
    for (std::string_view name = configuration;;) {
        const auto at = byName_.find(name);
        if (at == byName_.end() && seen.empty()) {
            return Error{fmt::format("there is no configuration \"{}\"", base::oneLine(name, 60))};
        }
        if (at == byName_.end()) {
            return Error{fmt::format("{}: inherits_from names \"{}\", which is not a configuration",
                                     nnunetPlace(configuration), base::oneLine(name, 60))};
        }
        const Json& object = *all_[at->second].second;
        if (!object.is_object()) {
            return Error{nnunetPlace(name) + ": must be an object"};
        }
        if (!seen.insert(name).second) {
            return Error{fmt::format("{}: following inherits_from leads back to \"{}\"",
                                     nnunetPlace(configuration), base::oneLine(name, 60))};
        }
        chain.push_back(&object);
        const Json* const parent = parentOf(object);
        if (!parent) {
            return chain;
        }
        if (!parent->is_string()) {
            return Error{nnunetPlace(name) + "/inherits_from: must be the name of a configuration"};
        }
        name = parent->get_ref<const std::string&>();
    }
}

Result<Json> NnunetConfigurations::resolve(std::string_view configuration) const {
    const auto chain = HIGHWATER_TRY(chainOf(configuration));
    Json resolved = Json::object();
    auto& members = resolved.get_ref<Json::object_t&>();
    std::set<std::string_view> taken;
    for (const Json* const object : chain) {
        for (const auto& [key, value] : object->items()) {
            if (taken.insert(key).second) {
                members.emplace_back(key, value);
            }
        }
    }
    return resolved;
}

bool NnunetConfigurations::hasNetwork(const Json& configuration) {
    return configuration.contains("architecture") || configuration.contains("UNet_class_name");
}

std::vector<std::string> NnunetConfigurations::withNetwork() const {
    enum class Kind : std::uint8_t { Unknown, Visited, Abstract, Network, Wrong };
    std::vector<Kind> kinds(all_.size(), Kind::Unknown);
    std::vector<std::string> names;
    for (std::size_t i = 0; i < all_.size(); ++i) {
        // Goes up until the kind of an inherited configuration is known, then down again.
        std::vector<std::size_t> passed;
        std::optional<std::size_t> at = i;
        Kind inherited = Kind::Abstract;
        while (at && kinds[*at] == Kind::Unknown) {
            passed.push_back(*at);
            kinds[*at] = Kind::Visited;
            const Json& object = *all_[*at].second;
            const Json* const parent = parentOf(object);
            const auto found = parent && parent->is_string()
                                   ? byName_.find(parent->get_ref<const std::string&>())
                                   : byName_.end();
            at = found == byName_.end() ? std::nullopt : std::optional(found->second);
            if (!object.is_object() || (parent && !at)) {
                inherited = Kind::Wrong;
            }
        }
        if (at) {
            inherited = kinds[*at] == Kind::Visited ? Kind::Wrong : kinds[*at];  // visited: a cycle
        }
        for (std::size_t down = passed.size(); down-- > 0;) {
            const Json& object = *all_[passed[down]].second;
            if (inherited == Kind::Abstract && hasNetwork(object)) {
                inherited = Kind::Network;
            }
            kinds[passed[down]] = inherited;
        }
        if (kinds[i] == Kind::Network) {
            names.emplace_back(all_[i].first);
        }
    }
    return names;
}

}  // namespace highwater::stack
