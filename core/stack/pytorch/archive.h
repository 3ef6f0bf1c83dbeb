#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/base/units.h"

/// The zip archive that contains a program of torch.export. Private to core/stack/pytorch.
namespace highwater::stack::pytorch {

inline constexpr base::Bytes kMostGraphBytes = 64 * base::kMiB;

struct ProgramFiles {
    std::string graph;    ///< JSON
    std::string weights;  ///< JSON: which names refer to the same tensor; empty in the older layout
};

/// The graph is `serialized_exported_program.json` at the root or in a folder (PyTorch up to 2.7), or
/// `models/model.json` there (2.8 and newer). Nothing else is unpacked. No memory is allocated by an
/// unchecked size in a header. Errors begin with the file's name; for other kinds of files they say what the
/// file is: a TorchScript archive, a checkpoint, compiled code.
base::Result<ProgramFiles> programOfFile(const std::filesystem::path& path);
base::Result<ProgramFiles> programOfBytes(std::string_view bytes, std::string_view name);

}  // namespace highwater::stack::pytorch
