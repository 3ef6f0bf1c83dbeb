#pragma once

#include <filesystem>
#include <string_view>

#include "core/base/result.h"

namespace highwater::base {

/// Returns the folder of the running program.
std::filesystem::path programFolder();
/// Finds another program of Highwater, e.g. "highwater-engine": first in the folder of the running program,
/// then in ../libexec/highwater (where the private programs are installed), then in ../bin. Returns an empty
/// path if there is none.
std::filesystem::path siblingProgram(std::string_view name);
/// Returns the resources folder: $HIGHWATER_RESOURCES, otherwise ../share/highwater relative to an installed
/// program, otherwise the resources/ folder of the source tree that this build was configured from. Returns
/// an empty path if there is none.
std::filesystem::path resourcesFolder();
/// A subfolder of it, for example "presets"; an Error if there is no resources folder.
Result<std::filesystem::path> resourcesIn(std::string_view folder);
/// Given in place of a scan's path: the head phantom (core/volume/phantom.h), computed whenever it is read,
/// so that it needs neither a file nor a writable folder.
inline constexpr std::string_view kHeadPhantom = "phantom:head";
/// The file name of the head phantom, for programs that need a file.
inline constexpr std::string_view kHeadPhantomFile = "head-phantom.nii.gz";
/// Returns the folder of the default run store: $XDG_DATA_HOME/highwater, otherwise ~/.local/share/highwater.
std::filesystem::path defaultStoreFolder();
/// The folder of the user's settings: $XDG_CONFIG_HOME/highwater, otherwise ~/.config/highwater.
std::filesystem::path configFolder();
/// Finds a program on PATH; an empty path if there is none.
std::filesystem::path programOnPath(std::string_view name);

}  // namespace highwater::base
