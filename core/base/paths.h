#pragma once

#include <filesystem>
#include <string_view>

#include "core/base/result.h"

namespace highwater::base {

/// The folder of the running program.
std::filesystem::path programFolder();
/// A sibling program, e.g. "highwater-engine": beside the running program, else in ../libexec/highwater
/// (where the private programs are installed), else in ../bin. Empty when there is none.
std::filesystem::path siblingProgram(std::string_view name);
/// The resources folder: $HIGHWATER_RESOURCES, else ../share/highwater beside an installed program, else the
/// source tree's resources/ that this build was configured from. Empty when there is none.
std::filesystem::path resourcesFolder();
/// One of the folders in it, "presets"; an Error where there is no resources folder.
Result<std::filesystem::path> resourcesIn(std::string_view folder);
/// Stands where a scan's path may: the head phantom (core/volume/phantom.h), made anew whenever it is read,
/// so that it needs no file and no folder that can be written.
inline constexpr std::string_view kHeadPhantom = "phantom:head";
/// What its file is called where a program needs one.
inline constexpr std::string_view kHeadPhantomFile = "head-phantom.nii.gz";
/// The default run store: $XDG_DATA_HOME/highwater, else ~/.local/share/highwater.
std::filesystem::path defaultStoreFolder();

}  // namespace highwater::base
