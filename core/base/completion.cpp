#include "core/base/completion.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>

namespace highwater::base {
namespace {

/// A command with its name as typed, such as "highwater-cli runs list".
struct TypedCommand {
    std::string typed;
    std::reference_wrapper<const CommandText> text;
};

void addCommands(const CommandText& command, const std::string& typed, std::vector<TypedCommand>& to) {
    to.push_back({typed, command});
    for (const CommandText& inner : command.commands) {
        addCommands(inner, typed + " " + inner.name, to);
    }
}

std::string joined(const std::vector<std::string>& words, std::string_view separator = " ") {
    return fmt::format("{}", fmt::join(words, separator));
}

/// Puts a backslash before each of `special`.
std::string escaped(std::string_view text, std::string_view special) {
    std::string out;
    for (const char c : text) {
        out += special.find(c) == std::string_view::npos ? std::string(1, c) : std::string{'\\', c};
    }
    return out;
}

/// As one word of bash and zsh.
std::string quoted(std::string_view text) {
    std::string out;
    for (const char c : text) {
        out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    }
    return "'" + out + "'";
}

/// As one word of fish.
std::string fishQuoted(std::string_view text) {
    return "'" + escaped(text, "\\'") + "'";
}

std::string firstLine(const std::string& text) {
    return text.substr(0, text.find('\n'));
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

/// The program's name as part of the name of a shell function.
std::string functionName(const CommandText& program) {
    std::string name = "_" + program.name;
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
}

/// The subcommands as typed, as the alternatives of a shell's `case`.
std::string alternatives(const std::vector<TypedCommand>& commands, std::string_view separator) {
    std::vector<std::string> words;
    words.reserve(commands.size());
    for (const TypedCommand& command : commands) {
        words.push_back(quoted(command.typed));
    }
    words.erase(words.begin());  // the program itself
    return joined(words, separator);
}

/// The words that may follow a command, as a case of bash.
std::string bashCase(const TypedCommand& command) {
    std::vector<std::string> options, valued, commands;
    std::string choices;
    for (const OptionText& option : command.text.get().options) {
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
    for (const CommandText& inner : command.text.get().commands) {
        commands.push_back(inner.name);
    }
    std::string out = fmt::format("    '{}')\n      options='{}'\n      valued='{}'\n      commands='{}'\n",
                                  command.typed, joined(options), joined(valued), joined(commands));
    if (!choices.empty()) {
        out += fmt::format("      choices=({} )\n", choices);
    }
    return out + "      ;;\n";
}

std::string bashCompletion(const CommandText& program, const std::vector<TypedCommand>& commands) {
    std::string follow, cases;
    if (commands.size() > 1) {
        follow = fmt::format(
            "  for word in \"${{COMP_WORDS[@]:1:COMP_CWORD-1}}\"; do\n"
            "    case \"$path $word\" in\n      {}) path+=\" $word\" ;;\n    esac\n  done\n",
            alternatives(commands, " | "));
    }
    for (const TypedCommand& command : commands) {
        cases += bashCase(command);
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
        program.name, functionName(program), follow, cases);
}

/// The specifications that zsh's _arguments takes for a command's options, and the command's subcommands.
std::string zshCase(const TypedCommand& command) {
    std::string out = fmt::format("    {})\n", quoted(command.typed)), specs, commands;
    for (const OptionText& option : command.text.get().options) {
        for (const std::string& name : option.names) {
            const bool takesValue = !option.value.empty();
            const std::string choices = choicesOf(option.value);
            const std::string value = !takesValue       ? ""
                                      : choices.empty() ? ":" + escaped(option.value, ":\\") + ":_files"
                                                        : fmt::format(":choice:({})", choices);
            // "=": the value may be part of the word or the next word; "+" is the same for a single letter.
            const char* const joins = !takesValue ? "" : name.starts_with("--") ? "=" : "+";
            specs += "\n        " + quoted(fmt::format("*{}{}[{}]{}", name, joins,
                                                       escaped(firstLine(option.about), "[]:\\"), value));
        }
    }
    for (const CommandText& inner : command.text.get().commands) {
        commands += "\n        " + quoted(inner.name + ":" + escaped(firstLine(inner.about), ":\\"));
    }
    if (commands.empty()) {
        specs += "\n        '*:file:_files'";
    } else {
        specs += "\n        '*:command:{_describe command commands}'";
        out += fmt::format("      commands=({})\n", commands);
    }
    return out + fmt::format("      arguments=({})\n      ;;\n", specs);
}

std::string zshCompletion(const CommandText& program, const std::vector<TypedCommand>& commands) {
    std::string follow, cases;
    if (commands.size() > 1) {
        follow = fmt::format(
            "  local -i first=1 i\n"
            "  for ((i = 2; i < CURRENT; ++i)); do\n"
            "    case \"$typed ${{words[i]}}\" in\n      {}) typed+=\" ${{words[i]}}\"; first=i ;;\n    "
            "esac\n  done\n"
            "  shift first-1 words\n"
            "  ((CURRENT -= first - 1))\n",
            alternatives(commands, " | "));
    }
    for (const TypedCommand& command : commands) {
        cases += zshCase(command);
    }
    return fmt::format(
        "#compdef {0}\n"
        "# Completion of {0} in zsh, made from its own options.\n"
        "_{0}() {{\n"
        "  local typed='{0}'\n"
        "  local -a arguments commands\n"
        "{1}"
        "  case $typed in\n{2}  esac\n"
        "  _arguments -s -S : $arguments\n"
        "}}\n"
        "if [[ ${{zsh_eval_context[-1]}} == loadautofunc ]]; then _{0} \"$@\"; else compdef _{0} {0}; fi\n",
        program.name, follow, cases);
}

/// fish's descriptions of a command's options and subcommands, for the case that `condition` holds.
std::string fishLines(const TypedCommand& command, const std::string& condition) {
    const std::string begin = "complete " + condition;
    std::string out;
    for (const OptionText& option : command.text.get().options) {
        if (option.names.empty()) {
            continue;
        }
        out += begin;
        for (const std::string& name : option.names) {
            out += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
        }
        if (const std::string choices = choicesOf(option.value); !choices.empty()) {
            out += " -x -a " + fishQuoted(choices);
        } else if (!option.value.empty()) {
            out += " -r -F";
        }
        out += " -d " + fishQuoted(firstLine(option.about)) + "\n";
    }
    for (const CommandText& inner : command.text.get().commands) {
        out += fmt::format("{} -f -a {} -d {}\n", begin, inner.name, fishQuoted(firstLine(inner.about)));
    }
    return out;
}

std::string fishCompletion(const CommandText& program, const std::vector<TypedCommand>& commands) {
    const std::string function = "_" + functionName(program) + "_at";
    std::string out = fmt::format("# Completion of {} in fish, made from its own options.\n", program.name);
    if (commands.size() > 1) {
        out += fmt::format(
            "function {1} -d 'Whether the words so far name this command'\n"
            "  set -l typed {0}\n"
            "  for word in (commandline -opc)[2..-1]\n"
            "    switch \"$typed $word\"\n      case {2}\n        set typed \"$typed $word\"\n    end\n  "
            "end\n"
            "  test \"$typed\" = \"$argv\"\n"
            "end\n",
            program.name, function, alternatives(commands, " "));
    }
    for (const TypedCommand& command : commands) {
        std::string condition = "-c " + program.name;
        if (commands.size() > 1) {
            condition += fmt::format(" -n '{} {}'", function, command.typed);
        }
        out += fishLines(command, condition);
    }
    return out;
}

}  // namespace

Result<std::string> completion(const CommandText& program, std::string_view shell) {
    std::vector<TypedCommand> commands;
    addCommands(program, program.name, commands);
    if (shell == "bash") {
        return bashCompletion(program, commands);
    }
    if (shell == "zsh") {
        return zshCompletion(program, commands);
    }
    if (shell == "fish") {
        return fishCompletion(program, commands);
    }
    return Error{
        fmt::format("\"{}\": choose {}", shell, joined({kManualKinds.begin(), kManualKinds.end()}, ", "))};
}

}  // namespace highwater::base
