#pragma once

#include <cstdint>
#include <optional>
#include <string>

// Workspaces given to the pretended cuDNN for each convolution: HIGHWATER_PRETEND_PLANS names a file of lines
// "OPERATION = BYTES", where the operation is in the format of cudnn::operationText() of core/cudnn. A file
// that has grown is read again.
namespace highwater::pretend {

std::optional<std::uint64_t> toldWorkspace(const std::string& operation);

}  // namespace highwater::pretend
