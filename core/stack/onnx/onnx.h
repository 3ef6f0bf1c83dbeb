#pragma once

#include <filesystem>
#include <string_view>

#include "core/base/result.h"
#include "core/stack/pytorch/pytorch.h"

/// Imports networks from .onnx files (opset 11 or newer) written by torch.onnx.export. The operators are
/// converted to PyTorch's, and then to layers like those of a .pt2 archive (core/stack/pytorch). Nothing in
/// the file is executed, and only the sizes of weights are stored.
namespace highwater::stack {

/// Input sizes that the file leaves open. Both empty: the file's sizes are used.
struct OnnxInput {
    Shape shape = {};        ///< N, C and one to three sizes; for a network with one input
    std::int64_t batch = 0;  ///< only N, for all inputs
};

/// Whether the name has the suffix .onnx.
bool isOnnxName(const std::filesystem::path& path);

/// Errors, one line: not an ONNX file, a damaged one, or one larger than 2 GiB; an older opset; an input
/// whose sizes the file leaves open (the message says how to give them); and those of importPytorchFile.
/// Notes list what the file cannot express: in-place operators, trainable weights, and what an export for
/// inference removed.
base::Result<PytorchImport> importOnnxFile(const std::filesystem::path& path, const PytorchOptions& options,
                                           const OnnxInput& input = {});
/// The same from a file's bytes; errors begin with `name`.
base::Result<PytorchImport> importOnnx(std::string_view bytes, std::string_view name,
                                       const PytorchOptions& options, const OnnxInput& input = {});

/// An .onnx file, otherwise an archive of torch.export. Error for an archive with an `input`, because an
/// archive contains its sizes.
base::Result<PytorchImport> importNetworkFile(const std::filesystem::path& path,
                                              const PytorchOptions& options, const OnnxInput& input = {});

}  // namespace highwater::stack
