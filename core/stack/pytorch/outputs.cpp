#include <fmt/format.h>

#include "core/stack/pytorch/graph.h"

namespace highwater::stack::pytorch {

namespace {

using base::Json;

/// What the members of a container are called: the keys of a dictionary, the fields of a named tuple, else
/// their positions.
std::vector<std::string> memberNames(const Json& spec, const Json& tuples, std::size_t count) {
    std::vector<std::string> names;
    const Json type = spec.value("type", Json());
    Json context = spec.value("context", Json());
    if (type == "collections.namedtuple" && context.is_string() && tuples.is_object()) {
        const Json tuple = tuples.value(context.get<std::string>(), Json::object());
        context = tuple.is_object() ? tuple.value("field_names", Json()) : Json();
    } else if (context.is_object()) {
        context = context.value("dict_context", Json());
    } else if (context.is_string()) {
        context = Json::parse(context.get<std::string>(), nullptr, false);
    }
    for (std::size_t i = 0; i < count; ++i) {
        const bool named = context.is_array() && context.size() == count;
        names.push_back(!named                   ? std::to_string(i)
                        : context[i].is_string() ? context[i].get<std::string>()
                                                 : context[i].dump());
    }
    return names;
}

void collect(const Json& spec, const Json& tuples, const std::string& path, std::vector<std::string>& keys) {
    if (!spec.is_object()) {
        return;
    }
    const Json children = spec.value("children_spec", Json::array());
    if (spec.value("type", Json()).is_null()) {
        keys.push_back(path.empty() ? "0" : path);
    } else if (children.is_array()) {
        const auto names = memberNames(spec, tuples, children.size());
        for (std::size_t i = 0; i < children.size(); ++i) {
            collect(children[i], tuples, path.empty() ? names[i] : path + "." + names[i], keys);
        }
    }
}

/// The specification of the network's result, "[1, {...}]" in text; null where it is not said.
base::Result<Json> resultSpec(const Json& graphModule) {
    const Json calls = graphModule.value("module_call_graph", Json::array());
    if (!calls.is_array() || calls.empty() || !calls[0].is_object()) {
        return Json();
    }
    const Json signature = calls[0].value("signature", Json());
    const Json text = signature.is_object() ? signature.value("out_spec", Json()) : Json();
    if (!text.is_string()) {
        return Json();
    }
    auto parsed = base::parseJson(text.get<std::string>(), "out_spec");
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
        collect((*spec)[1], graphModule.value("treespec_namedtuple_fields", Json()), "", keys);
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
