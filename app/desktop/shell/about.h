#pragma once

#include <QString>
#include <vector>

namespace highwater::desktop {

/// One that Highwater is made of or runs on: "VTK", "9.1.0", "BSD-3-Clause".
struct AboutPart {
    QString name, version, license;
};

/// "0.1.0, commit 3524eeb7fa41"; without a commit where the source was no clone.
QString aboutVersion();
/// The libraries that the programs are linked with, the engine's LibTorch first; a version that is not
/// known is empty.
std::vector<AboutPart> aboutLibraries();
/// This machine: system, processor, memory, GPUs, the driver. Asks the driver, which can take a moment.
std::vector<AboutPart> aboutMachine();
/// All of it as plain text, for a report of a bug. Names nobody and no folder.
QString aboutText(const std::vector<AboutPart>& libraries, const std::vector<AboutPart>& machine);

}  // namespace highwater::desktop
