#include "core/study/claim_experiments.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/json_reader.h"
#include "core/base/text.h"
#include "core/stack/json/json.h"
#include "core/stack/shapes.h"

namespace highwater::study {

namespace {

using base::Error;
using base::Json;
using base::JsonReader;
namespace fs = std::filesystem;

constexpr std::size_t kMostExperiments = 32, kLongestPointer = 1000;
constexpr base::Bytes kLargestExperiment = base::kMiB;

/// Splits a JSON Pointer: "/a~1b/0" gives {"a/b", "0"}.
base::Result<std::vector<std::string>> partsOf(std::string_view pointer) {
    if (!pointer.starts_with('/') || pointer.size() > kLongestPointer) {
        return Error{
            fmt::format("\"{}\" is not a JSON Pointer such as /step/batch_size", base::oneLine(pointer, 60))};
    }
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < pointer.size(); ++i) {
        if (pointer[i] == '/') {
            parts.emplace_back();
        } else if (pointer[i] != '~') {
            parts.back() += pointer[i];
        } else if (i + 1 < pointer.size() && (pointer[i + 1] == '0' || pointer[i + 1] == '1')) {
            parts.back() += pointer[++i] == '0' ? '~' : '/';
        } else {
            return Error{fmt::format("\"{}\" is not a JSON Pointer: ~ stands only in ~0 and ~1",
                                     base::oneLine(pointer, 60))};
        }
    }
    return parts;
}

/// The list entry with index `part`; null if there is none.
Json* entryOf(Json& list, const std::string& part) {
    std::size_t index = 0;
    return base::readNumber(part, index) && index < list.size() ? &list[index] : nullptr;
}

/// The member or entry `part` of `parent`. A missing member of an object is created; null if that cannot be
/// done.
Json* step(Json& parent, const std::string& part) {
    if (parent.is_array()) {
        return entryOf(parent, part);
    }
    if (parent.is_null()) {
        parent = Json::object();
    }
    return parent.is_object() ? &parent[part] : nullptr;
}

/// One entry of "experiments".
struct Written {
    std::string name;
    Draft draft;
    std::string base;  ///< name of the experiment that it is based on, or empty
    const Json* set = nullptr;
    std::string where;
};

std::optional<Bytes> readBudget(JsonReader& reader) {
    const Json* given = reader.raw("budget");
    if (!given) {
        return {};
    }
    const auto bytes = given->is_string() ? base::parseBytes(given->get_ref<const std::string&>())
                       : given->is_number_unsigned() && given->get<std::uint64_t>() <= INT64_MAX
                           ? base::Result<Bytes>(given->get<Bytes>())
                           : base::Result<Bytes>(Error{"must be a size such as \"8MiB\""});
    if (!bytes || *bytes == 0) {
        reader.fail("budget", bytes ? "must be more than 0, such as \"8MiB\"" : bytes.error().message);
    }
    return bytes ? std::optional(*bytes) : std::nullopt;
}

void readFile(JsonReader& parent, const std::string& key, const std::string& path, Draft& draft) {
    const fs::path file = draft.folder / path;
    auto json = base::readJson(file, kLargestExperiment);
    if (!json) {
        return parent.fail(key, json.error().message);
    }
    draft.json = std::move(*json);
    draft.folder = file.parent_path();
}

Written readOne(JsonReader& experiments, const std::string& name, const fs::path& folder) {
    Written made{name, {name, {}, folder, {}}, "", nullptr, experiments.pointer(name)};
    const Json& given = *experiments.raw(name);
    if (given.is_string()) {
        readFile(experiments, name, given.get<std::string>(), made.draft);
    } else if (given.is_object() && given.contains("base")) {
        experiments.object(name, [&](JsonReader& reader) {
            made.base = reader.text("base");
            made.set = reader.raw("set");
            made.draft.budget = readBudget(reader);
            if (made.set && !made.set->is_object()) {
                reader.fail("set", "must be an object of JSON Pointers and values");
            }
        });
    } else if (given.is_object()) {
        made.draft.json = given;
    } else {
        experiments.fail(name, "must be an experiment, the path of one, or {\"base\": NAME, \"set\": {...}}");
    }
    return made;
}

/// True if the name can be used in a sentence's {placeholders}: words of letters, digits, _ . and =.
bool isName(std::string_view name) {
    const auto good = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
               c == '.' || c == '=' || c == ' ';
    };
    return !name.empty() && name.size() <= 60 && name.front() != ' ' && name.back() != ' ' &&
           std::all_of(name.begin(), name.end(), good);
}

/// Resolves an experiment that is based on another one, after that one; `depth` detects cycles.
base::Status workOut(std::vector<Written>& all, Written& one, std::size_t depth) {
    if (one.base.empty()) {
        return {};
    }
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const Written& w) { return w.name == one.base; });
    if (found == all.end()) {
        return Error{
            fmt::format("{}/base: there is no experiment \"{}\"", one.where, base::oneLine(one.base, 60))};
    }
    if (depth > all.size()) {
        return Error{fmt::format("{}/base: is based on itself", one.where)};
    }
    HIGHWATER_TRY(workOut(all, *found, depth + 1));
    one.draft.json = found->draft.json;
    one.draft.folder = found->draft.folder;
    if (!one.draft.budget) {
        one.draft.budget = found->draft.budget;
    }
    one.base.clear();
    if (!one.set) {
        return {};
    }
    for (const auto& [pointer, value] : one.set->items()) {
        if (const auto status = setAt(one.draft.json, pointer, value); !status) {
            return Error{fmt::format("{}/set: {}", one.where, status.error().message)};
        }
    }
    return {};
}

}  // namespace

base::Status setAt(Json& json, std::string_view pointer, const Json& value) {
    const auto parts = HIGHWATER_TRY(partsOf(pointer));
    const auto nowhere = [&](const std::string& part) {
        return Error{fmt::format("\"{}\" does not exist: \"{}\" is missing", base::oneLine(pointer, 60),
                                 base::oneLine(part, 60))};
    };
    Json* at = &json;
    for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
        if (!(at = step(*at, parts[i]))) {
            return nowhere(parts[i]);
        }
    }
    const std::string& last = parts.back();
    if (value.is_null() && at->is_object()) {
        return at->erase(last) > 0 ? base::Status() : nowhere(last);
    }
    Json* const place = step(*at, last);
    if (!place) {
        return nowhere(last);
    }
    *place = value;
    return {};
}

std::vector<Draft> readDrafts(JsonReader& claim, const fs::path& folder) {
    const Json* given = claim.raw("experiments");
    std::vector<Draft> drafts;
    if (!given || !given->is_object() || given->empty() || given->size() > kMostExperiments) {
        claim.fail("experiments",
                   given ? fmt::format("must be an object of 1 to {} named experiments", kMostExperiments)
                         : "is missing; named experiments are needed");
        return drafts;
    }
    std::vector<Written> all;
    claim.object("experiments", [&](JsonReader& reader) {
        for (const auto& [name, value] : given->items()) {
            if (!isName(name)) {
                reader.fail("",
                            fmt::format("\"{}\" is not a valid name: use letters, digits, spaces and _ . = "
                                        "up to 60",
                                        base::oneLine(name, 60)));
            }
            if (!reader.failed()) {
                all.push_back(readOne(reader, name, folder));
            }
        }
        for (std::size_t i = 0; i < all.size() && !reader.failed(); ++i) {
            if (const auto status = workOut(all, all[i], 0); !status) {
                reader.failAt(status.error().message);
            }
        }
    });
    for (Written& one : all) {
        drafts.push_back(std::move(one.draft));
    }
    return drafts;
}

base::Result<Subject> subjectOf(const Draft& draft) {
    auto experiment = HIGHWATER_TRY(stack::experimentFromJson(draft.json, draft.name));
    HIGHWATER_TRY(base::prefixed(draft.name, stack::inferShapes(experiment)));
    stack::resolvePaths(experiment, draft.folder);
    return Subject{draft.name, std::move(experiment), draft.budget};
}

}  // namespace highwater::study
