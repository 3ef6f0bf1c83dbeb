#pragma once

#include <QString>
#include <vector>

namespace highwater::desktop {

/// A component that Highwater is built from or runs on: "VTK", "9.1.0", "BSD-3-Clause".
struct AboutPart {
    QString name, version, license;
};

/// "0.1.0, commit 3524eeb7fa41"; without a commit if the source was not a git clone.
QString aboutVersion();
/// The libraries that the programs are linked with, the engine's LibTorch first; the version is empty if it
/// is unknown.
std::vector<AboutPart> aboutLibraries();
/// This machine: system, processor, memory, GPUs, driver. Queries the driver, which can take a moment.
std::vector<AboutPart> aboutMachine();
/// All of it as plain text, for a bug report. Contains no user or folder names.
QString aboutText(const std::vector<AboutPart>& libraries, const std::vector<AboutPart>& machine);

}  // namespace highwater::desktop
