#include "core/base/manual.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

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

std::string joined(const std::vector<std::string>& words) {
    std::string out;
    for (const std::string& word : words) {
        out += (out.empty() ? "" : " ") + word;
    }
    return out;
}

/// The choices of "{int8,fp32}", separated by spaces.
std::string choicesOf(const std::string& value) {
    if (value.size() < 2 || value.front() != '{' || value.back() != '}') {
        return "";
    }
    std::string choices = value.substr(1, value.size() - 2);
    std::replace(choices.begin(), choices.end(), ',', ' ');
    return choices;
}

/// The case of a command: the words that may follow it; then the cases of its subcommands.
std::string completionCases(const CommandText& command, const std::string& path) {
    std::vector<std::string> options, valued, commands;
    std::string choices;
    for (const OptionText& option : command.options) {
        options.insert(options.end(), option.names.begin(), option.names.end());
        if (option.value.empty() || option.names.empty()) {
            continue;
        }
        valued.insert(valued.end(), option.names.begin(), option.names.end());
        if (const std::string words = choicesOf(option.value); !words.empty()) {
            for (const std::string& name : option.names) {
                choices += fmt::format(" [{}]='{}'", name, words);
            }
        }
    }
    std::string inner;
    for (const CommandText& each : command.commands) {
        commands.push_back(each.name);
        inner += completionCases(each, path + " " + each.name);
    }
    std::string out = fmt::format("    '{}')\n      options='{}'\n      valued='{}'\n      commands='{}'\n",
                                  path, joined(options), joined(valued), joined(commands));
    if (!choices.empty()) {
        out += fmt::format("      choices=({} )\n", choices);
    }
    return out + "      ;;\n" + inner;
}

void addPaths(const CommandText& command, const std::string& path, std::vector<std::string>& to) {
    for (const CommandText& inner : command.commands) {
        to.push_back(fmt::format("'{} {}'", path, inner.name));
        addPaths(inner, path + " " + inner.name, to);
    }
}

}  // namespace

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

std::string bashCompletion(const CommandText& program) {
    std::string function = "_" + program.name;
    std::replace(function.begin(), function.end(), '-', '_');
    std::vector<std::string> paths;
    addPaths(program, program.name, paths);
    std::string follow;
    if (!paths.empty()) {
        std::string list;
        for (const std::string& path : paths) {
            list += (list.empty() ? "" : " | ") + path;
        }
        follow = fmt::format(
            "  for word in \"${{COMP_WORDS[@]:1:COMP_CWORD-1}}\"; do\n"
            "    case \"$path $word\" in\n      {}) path+=\" $word\" ;;\n    esac\n  done\n",
            list);
    }
    return fmt::format(
        "# Completion of {0} in bash, made from its own options.\n"
        "{1}() {{\n"
        "  local current=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}}\n"
        "  local path='{0}' options='' valued='' commands='' word\n"
        "  local -A choices=()\n"
        "{2}"
        "  case $path in\n{3}  esac\n"
        "  if [[ \" $valued \" == *\" $before \"* ]]; then\n"
        "    if [[ -n ${{choices[$before]:-}} ]]; then\n"
        "      mapfile -t COMPREPLY < <(compgen -W \"${{choices[$before]}}\" -- \"$current\")\n"
        "    else\n"
        "      mapfile -t COMPREPLY < <(compgen -f -- \"$current\")\n"
        "    fi\n"
        "  elif [[ $current == -* ]]; then\n"
        "    mapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$current\")\n"
        "  elif [[ -n $commands ]]; then\n"
        "    mapfile -t COMPREPLY < <(compgen -W \"$commands\" -- \"$current\")\n"
        "  else\n"
        "    mapfile -t COMPREPLY < <(compgen -f -- \"$current\")\n"
        "  fi\n"
        "}}\n"
        "complete -o filenames -F {1} {0}\n",
        program.name, function, follow, completionCases(program, program.name));
}

}  // namespace highwater::base
