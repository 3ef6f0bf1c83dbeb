#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace highwater::fuzz {

/// Files as a malicious stranger might make them, and the command that reads them.
struct HostileInput {
    std::string name;  ///< its kind and number: "plans 3: a chain of 812 configurations"
    std::vector<std::pair<std::string, std::string>> files;  ///< path in a folder, and content
    std::vector<std::string> arguments;                      ///< of highwater-cli in that folder
};

/// The input with a number, always the same one. Kinds alternate: experiments, plans, snapshots, programs and
/// archives of torch.export, .onnx files, run folders, DICOM files. `size` scales how large they are: 1 gives
/// files of some ten kilobytes.
HostileInput hostileInput(std::uint64_t number, std::size_t size = 1);

}  // namespace highwater::fuzz
