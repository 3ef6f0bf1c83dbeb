#pragma once

#include <string>
#include <string_view>
#include <vector>

/// A program's manual page and shell completion, generated from the definitions of its command line.
namespace highwater::base {

struct OptionText {
    std::vector<std::string> names = {};  ///< "-h", "--help"; empty: a positional argument
    std::string value = {};               ///< "FILE", "{int8,fp32}" or the argument's name; empty: takes no
                                          ///< value
    std::string about = {};
    bool required = false;
    bool many = false;  ///< an argument that can be given more than once
};

struct CommandText {
    std::string name;    ///< "run"; the outermost command has the program's name
    std::string about;   ///< one line
    std::string footer;  ///< examples, shown verbatim
    std::vector<OptionText> options;
    std::vector<CommandText> commands;
};

/// The page in troff's man macros, for section 1; `version` is for example "Highwater 0.1.0".
std::string manPage(const CommandText& program, std::string_view version);

/// A completion script for bash: commands, options, their choices, and file names.
std::string bashCompletion(const CommandText& program);

}  // namespace highwater::base
