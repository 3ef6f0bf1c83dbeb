#include <fmt/format.h>

#include <unordered_map>

#include "core/stack/pytorch/graph.h"
#include "core/stack/pytorch/json_parts.h"

namespace highwater::stack::pytorch {

namespace {

using base::Json;

constexpr std::size_t kLongestKey = 1000;  // each output's key repeats the names of all containers around it

/// Assigns keys to the outputs, container by container.
class KeyCollector {
public:
    /// `tuples`: the fields of named tuples, by their type.
    KeyCollector(const Json& tuples, std::size_t most) : most_(most) {
        for (auto at = tuples.begin(); tuples.is_object() && at != tuples.end(); ++at) {
            tuples_.emplace(at.key(), &*at);
        }
    }

    /// Stops if there are more than `most` keys, or one is too long.
    void collect(const Json& spec, const std::string& path) {
        if (!spec.is_object() || keys.size() > most_) {
            return;
        }
        const Json& children = listOf(find(spec, "children_spec"));
        if (!find(spec, "type")) {
            keys.push_back(path.empty() ? "0" : path);
            return;
        }
        const auto names = memberNames(spec, children.size());
        for (std::size_t i = 0; i < children.size(); ++i) {
            const std::string inner = path.empty() ? names[i] : path + "." + names[i];
            if (inner.size() <= kLongestKey) {
                collect(children[i], inner);
            }
        }
    }

    std::vector<std::string> keys;

private:
    /// The names of a container's members: the keys of a dictionary, the fields of a named tuple, otherwise
    /// their positions.
    std::vector<std::string> memberNames(const Json& spec, std::size_t count) const {
        static const Json nothing;
        const Json* const given = find(spec, "context");
        const Json* context = given ? given : &nothing;
        base::Result<Json> parsed = nothing;
        if (textAt(spec, "type") == "collections.namedtuple" && context->is_string() && !tuples_.empty()) {
            const auto tuple = tuples_.find(context->get_ref<const std::string&>());
            const Json* const fields = tuple == tuples_.end() ? nullptr : find(*tuple->second, "field_names");
            context = fields ? fields : &nothing;
        } else if (context->is_object()) {
            const Json* const keys = find(*context, "dict_context");
            context = keys ? keys : &nothing;
        } else if (context->is_string()) {
            parsed = base::parseJson(context->get_ref<const std::string&>(), "context");
            context = parsed ? &*parsed : &nothing;
        }
        std::vector<std::string> names;
        const bool named = context->is_array() && context->size() == count;
        for (std::size_t i = 0; i < count; ++i) {
            names.push_back(!named                      ? std::to_string(i)
                            : (*context)[i].is_string() ? (*context)[i].get<std::string>()
                                                        : (*context)[i].dump());
        }
        return names;
    }

    std::unordered_map<std::string_view, const Json*> tuples_;
    std::size_t most_;
};

/// The specification of the network's result, "[1, {...}]" as text; null if it is missing.
base::Result<Json> resultSpec(const Json& graphModule) {
    const Json& calls = listOf(find(graphModule, "module_call_graph"));
    const Json* const signature = calls.empty() ? nullptr : find(calls[0], "signature");
    const Json* const text = signature ? find(*signature, "out_spec") : nullptr;
    if (!text || !text->is_string()) {
        return Json();
    }
    auto parsed = base::parseJson(text->get_ref<const std::string&>(), "out_spec");
    return !parsed || (parsed->is_array() && parsed->size() == 2) ? std::move(parsed) : Json();
}

}  // namespace

base::Result<std::vector<std::string>> outputKeys(const Json& graphModule, std::size_t count) {
    const auto spec = resultSpec(graphModule);
    if (!spec) {
        return spec.error();
    }
    std::vector<std::string> keys;
    if (spec->is_array()) {
        static const Json none = Json::object();
        const Json* const tuples = find(graphModule, "treespec_namedtuple_fields");
        KeyCollector collector(tuples ? *tuples : none, count);
        collector.collect((*spec)[1], "");
        keys = std::move(collector.keys);
    }
    if (keys.size() != count) {
        keys.clear();
        for (std::size_t i = 0; i < count; ++i) {
            keys.push_back(std::to_string(i));
        }
    }
    return keys;
}

}  // namespace highwater::stack::pytorch
