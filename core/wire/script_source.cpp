#include "core/wire/script_source.h"

#include <nlohmann/json.hpp>

#include "core/base/file.h"
#include "core/base/json_reader.h"
#include "core/base/text.h"

namespace highwater::wire {
namespace {

constexpr std::string_view kScriptFormat = "highwater.script/1";
constexpr base::Bytes kMostScriptBytes = base::Bytes{1} << 50;
constexpr int kMostScriptSteps = 1'000'000;

std::filesystem::path fileIn(const std::filesystem::path& runFolder) {
    return runFolder / "script.json";
}

}  // namespace

std::string commandText(const ScriptSource& source) {
    std::string text;
    for (std::size_t i = 0; i < source.command.size(); ++i) {
        const bool file = i == 0 && source.command[0] != "-m";
        const std::string word =
            file ? std::filesystem::path(source.command[0]).filename().string() : source.command[i];
        text += (i > 0 ? " " : "") + word;
    }
    return base::oneLine(text, 200);
}

base::Status writeSource(const std::filesystem::path& runFolder, const ScriptSource& source) {
    base::Json json = {{"format", kScriptFormat},          {"command", source.command},
                       {"python", source.python.string()}, {"folder", source.folder.string()},
                       {"pretended_gpu", source.gpu},      {"steps", source.steps},
                       {"others_bytes", source.others}};
    if (source.context) {
        json["context_bytes"] = *source.context;
    }
    return base::writeFileAtomically(fileIn(runFolder),
                                     json.dump(2, ' ', false, base::Json::error_handler_t::replace) + "\n");
}

base::Result<std::optional<ScriptSource>> readSource(const std::filesystem::path& runFolder) {
    const auto file = fileIn(runFolder);
    std::error_code ignored;
    if (!std::filesystem::exists(std::filesystem::symlink_status(file, ignored))) {
        return std::optional<ScriptSource>();
    }
    const auto json = base::readJson(file);
    if (!json) {
        return json.error();
    }
    if (!json->is_object()) {
        return base::Error{file.string() + ": must be a JSON object"};
    }
    base::JsonReader reader(*json, "");
    reader.choice("format", {kScriptFormat});
    ScriptSource source;
    if (const base::Json* words = reader.raw("command"); words != nullptr && words->is_array()) {
        for (const base::Json& word : *words) {
            if (word.is_string()) {
                source.command.push_back(word.get<std::string>());
            }
        }
    }
    source.python = reader.text("python", "");
    source.folder = reader.text("folder", "");
    source.gpu = reader.text("pretended_gpu", "");
    source.watched = reader.boolean("watched", false);
    source.steps = static_cast<int>(reader.integer("steps", 0, kMostScriptSteps));
    source.others = reader.integer("others_bytes", 0, kMostScriptBytes, 0);
    if (reader.has("context_bytes")) {
        source.context = reader.integer("context_bytes", 0, kMostScriptBytes);
    }
    reader.acceptAnyKey();
    if (const auto read = reader.finish(); !read) {
        return base::Error{file.string() + ": " + read.error().message};
    }
    if (source.command.empty()) {
        return base::Error{file.string() + ": /command: must be a list of words"};
    }
    return std::optional(std::move(source));
}

}  // namespace highwater::wire
