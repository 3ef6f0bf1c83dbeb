#pragma once

#include <cstdint>
#include <optional>
#include <string>

// Workspaces that the pretended cuDNN is told for each convolution: HIGHWATER_PRETEND_PLANS names a file of
// lines "OPERATION = BYTES", where the operation is written as cudnn::operationText() of core/cudnn writes
// it. A file that has grown is read again.
namespace highwater::pretend {

std::optional<std::uint64_t> toldWorkspace(const std::string& operation);

}  // namespace highwater::pretend
