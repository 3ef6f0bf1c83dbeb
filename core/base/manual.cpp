#include "core/base/manual.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "core/base/completion.h"

namespace highwater::base {
namespace {

/// Escapes text for troff: backslashes and hyphens are literal, and no line begins with a request.
std::string roff(std::string_view text) {
    std::string out;
    for (const char c : text) {
        const bool lineBegins = out.empty() || out.back() == '\n';
        if (lineBegins && (c == '.' || c == '\'')) {
            out += "\\&";
        }
        out += c == '\\' ? std::string("\\e") : c == '-' ? std::string("\\-") : std::string(1, c);
    }
    return out;
}

std::string capitals(std::string_view text) {
    std::string out(text);
    std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) { return std::toupper(c); });
    return out;
}

/// "EXPERIMENT", "RUN...", "[FILE]".
std::string argumentText(const OptionText& argument) {
    const std::string name = argument.value + (argument.many ? "..." : "");
    return argument.required ? name : "[" + name + "]";
}

std::string synopsis(const CommandText& command, const std::string& path) {
    std::string out = fmt::format("\\fB{}\\fR", roff(path));
    if (!command.commands.empty()) {
        return out + " \\fICOMMAND\\fR ...\n";
    }
    bool options = false;
    std::string arguments;
    for (const OptionText& option : command.options) {
        options = options || !option.names.empty();
        arguments += option.names.empty() ? " \\fI" + roff(argumentText(option)) + "\\fR" : "";
    }
    return out + (options ? " [\\fIOPTIONS\\fR]" : "") + arguments + "\n";
}

std::string optionsText(const CommandText& command) {
    std::string out;
    for (const OptionText& option : command.options) {
        std::string names;
        for (const std::string& name : option.names) {
            names += fmt::format("{}\\fB{}\\fR", names.empty() ? "" : ", ", roff(name));
        }
        if (!option.value.empty()) {
            names += fmt::format("{}\\fI{}\\fR", names.empty() ? "" : " ", roff(option.value));
        }
        out += fmt::format(".TP\n{}\n{}{}\n", names, roff(option.about),
                           option.required && !option.names.empty() ? " (required)" : "");
    }
    return out;
}

std::string footerText(const CommandText& command) {
    return command.footer.empty() ? "" : fmt::format(".PP\n.EX\n{}\n.EE\n", roff(command.footer));
}

/// The commands that have no subcommands. That each accepts --help is written only once.
std::string commandsText(const CommandText& command, const std::string& path) {
    std::string out;
    for (CommandText inner : command.commands) {
        std::erase_if(inner.options, [](const OptionText& option) {
            return std::find(option.names.begin(), option.names.end(), "--help") != option.names.end();
        });
        const std::string innerPath = path + " " + inner.name;
        if (inner.commands.empty()) {
            out += fmt::format(".SS {}\n{}.PP\n{}.\n{}{}", roff(innerPath), synopsis(inner, innerPath),
                               roff(inner.about), optionsText(inner), footerText(inner));
        } else {
            out += commandsText(inner, innerPath);
        }
    }
    return out;
}

std::string manPage(const CommandText& program, std::string_view version) {
    std::string summary = program.about.substr(0, program.about.find('\n'));
    while (summary.ends_with('.')) {
        summary.pop_back();
    }
    std::string out =
        fmt::format(".TH {} 1 \"\" \"{}\" \"Highwater\"\n.SH NAME\n{} \\- {}\n", roff(capitals(program.name)),
                    roff(version), roff(program.name), roff(summary));
    out +=
        ".SH SYNOPSIS\n" + synopsis(program, program.name) + ".SH DESCRIPTION\n" + roff(program.about) +
        (program.commands.empty() ? "" : "\n.PP\nEach command lists its options with \\fB\\-\\-help\\fR.") +
        "\n.SH OPTIONS\n" + optionsText(program);
    if (!program.commands.empty()) {
        out += ".SH COMMANDS\n" + commandsText(program, program.name);
    }
    if (!program.footer.empty()) {
        out += fmt::format(".SH EXAMPLES\n.EX\n{}\n.EE\n", roff(program.footer));
    }
    return out;
}

}  // namespace

Result<std::string> manual(const CommandText& program, std::string_view kind, std::string_view version) {
    if (kind == "man") {
        return manPage(program, version);
    }
    return completion(program, kind);
}

}  // namespace highwater::base
