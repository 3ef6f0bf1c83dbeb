#pragma once

#include <string>
#include <string_view>

#include "core/stack/experiment.h"

/// What a report leaves out, because it is handed on: the folders of this machine.
namespace highwater::report {

/// The experiment with the names of its files instead of their paths. It opens where those files lie beside
/// it.
stack::Experiment portable(stack::Experiment experiment);
/// The text, such as an error message, with the names of the experiment's files instead of their paths.
std::string withoutFolders(std::string text, const stack::Experiment& experiment);
/// The name of a file or folder without its path. base::kHeadPhantom stays.
std::string fileNameOf(std::string_view path);

}  // namespace highwater::report
