#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

/// A program's manual page and shell completions, generated from the definitions of its command line.
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

/// What `manual` makes: the page in troff's man macros, for section 1, and the completion scripts of shells.
inline constexpr std::array kManualKinds = {"man", "bash", "zsh", "fish"};

/// One of `kManualKinds`; `version` is for example "Highwater 0.2.0".
Result<std::string> manual(const CommandText& program, std::string_view kind, std::string_view version);

}  // namespace highwater::base
