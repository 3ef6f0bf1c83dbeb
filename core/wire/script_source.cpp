#include "core/wire/script_source.h"

#include <algorithm>
#include <cctype>
#include <string_view>

#include "core/base/json_file.h"
#include "core/base/text.h"

namespace highwater::wire {
namespace {

constexpr std::string_view kSecrets[] = {"KEY", "TOKEN", "SECRET", "PASSW", "CREDENTIAL"};

std::filesystem::path fileIn(const std::filesystem::path& runFolder) {
    return runFolder / "script.json";
}

/// "API_KEY=…" for "API_KEY=abc": run folders, names and reports are handed on.
std::string withoutSecret(const std::string& variable) {
    const std::size_t end = variable.find('=');
    std::string name = variable.substr(0, end);
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::toupper(c); });
    const bool secret = std::ranges::any_of(
        kSecrets, [&](std::string_view part) { return name.find(part) != std::string::npos; });
    return secret ? variable.substr(0, end) + "=…" : variable;
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
    std::string set;
    for (const std::string& variable : source.variables) {
        if (variable.find("=/") == std::string::npos) {
            set += (set.empty() ? "" : " ") + withoutSecret(variable);
        }
    }
    text += set.empty() ? "" : " (" + set + ")";
    return base::oneLine(text, 200);
}

template <class Way>
void exchange(Way& way, base::Exchanged<Way, ScriptSource>& source) {
    constexpr base::Whole kSteps{0, 1'000'000}, kScriptBytes{0, base::Bytes{1} << 50};
    way.format("format", "highwater.script/1");
    way("command", source.command);
    way.check(!source.command.empty(), "command", "must be a list of words");
    way.olderWithout("python", source.python);
    way.olderWithout("folder", source.folder);
    way.unless(std::vector<std::string>(), "variables", source.variables);
    way.olderWithout("pretended_gpu", source.gpu);
    way("steps", source.steps, kSteps);
    way.olderWithout("others_bytes", source.others, kScriptBytes);
    way("context_bytes", source.context, kScriptBytes);
    way.unless(false, "watched", source.watched);
    way.acceptAnyKey();
}

base::Status writeSource(const std::filesystem::path& runFolder, const ScriptSource& source) {
    ScriptSource kept = source;
    std::ranges::transform(kept.variables, kept.variables.begin(), withoutSecret);
    return base::writeJson(fileIn(runFolder), base::JsonOut::written(kept));
}

base::Result<std::optional<ScriptSource>> readSource(const std::filesystem::path& runFolder) {
    const auto file = fileIn(runFolder);
    std::error_code ignored;
    if (!std::filesystem::exists(std::filesystem::symlink_status(file, ignored))) {
        return std::optional<ScriptSource>();
    }
    const auto json = HIGHWATER_TRY(base::readJson(file));
    if (!json.is_object()) {
        return base::Error{file.string() + ": must be a JSON object"};
    }
    auto source = base::fromJson<ScriptSource>(json);
    return source ? base::Result<std::optional<ScriptSource>>(std::move(*source))
                  : base::Error{file.string() + ": " + source.error().message};
}

}  // namespace highwater::wire
