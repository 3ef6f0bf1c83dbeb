#pragma once

#include <string>
#include <string_view>
#include <vector>

/// A program's manual page and its completion in a shell, made from the definitions of its command line.
namespace highwater::base {

struct OptionText {
    std::vector<std::string> names = {};  ///< "-h", "--help"; empty: an argument by its place
    std::string value = {};               ///< "FILE", "{int8,fp32}" or the argument's name; empty: takes none
    std::string about = {};
    bool required = false;
    bool many = false;  ///< an argument that can be given more than once
};

struct CommandText {
    std::string name;    ///< "run"; the outermost one's is the program's
    std::string about;   ///< one line
    std::string footer;  ///< examples, shown as they stand
    std::vector<OptionText> options;
    std::vector<CommandText> commands;
};

/// The page in troff's man macros, for section 1; `version` is such as "Highwater 0.1.0".
std::string manPage(const CommandText& program, std::string_view version);

/// A script for bash that completes commands, options, their choices, and names of files.
std::string bashCompletion(const CommandText& program);

}  // namespace highwater::base
