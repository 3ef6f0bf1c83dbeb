#pragma once

#include <filesystem>
#include <string_view>

#include "core/base/result.h"
#include "core/stack/pytorch/pytorch.h"

/// Imports networks from .onnx files (opset 11 or newer), as torch.onnx.export writes them. The operators
/// become those of PyTorch, and then layers as those of a .pt2 archive do (core/stack/pytorch). Nothing in
/// the file is run, and of weights only the sizes are kept.
namespace highwater::stack {

/// What the file leaves open of its input. Both empty: all is as the file says.
struct OnnxInput {
    Shape shape = {};        ///< N, C and one to three sizes; of a network with one input
    std::int64_t batch = 0;  ///< N alone, of all inputs
};

/// Whether the name is that of an .onnx file.
bool isOnnxName(const std::filesystem::path& path);

/// Errors, one line: no ONNX file, a damaged one, or one larger than 2 GiB; an older opset;
/// an input whose sizes the file leaves open (the message says how to give them); and those of
/// importPytorchFile. Notes say what the file cannot: what works in place, which weights train, and what an
/// export for inference took away.
base::Result<PytorchImport> importOnnxFile(const std::filesystem::path& path, const PytorchOptions& options,
                                           const OnnxInput& input = {});
/// The same from a file's bytes; errors begin with `name`.
base::Result<PytorchImport> importOnnx(std::string_view bytes, std::string_view name,
                                       const PytorchOptions& options, const OnnxInput& input = {});

/// An .onnx file, or else an archive of torch.export. Error for an archive with an `input`, whose sizes are
/// in it.
base::Result<PytorchImport> importNetworkFile(const std::filesystem::path& path,
                                              const PytorchOptions& options, const OnnxInput& input = {});

}  // namespace highwater::stack
