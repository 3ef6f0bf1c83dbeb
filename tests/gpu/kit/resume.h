#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "core/base/result.h"
#include "tests/gpu/kit/journal.h"

namespace highwater::kit {

/// The journal lines that correspond to an earlier document (highwater.gpu-reference/1), so that a kit whose
/// journal begins with them measures only what that document left out. Convolutions timed with `benchmark`
/// are measured again unless the document says `timed_apart`, and overheads unless they say `same_switches`.
/// Errors: the document is for another device, LibTorch, CUDA or cuDNN than `environment`, for other sizes,
/// or not a document of the kit.
base::Result<std::vector<Json>> journalOf(const Json& document, const Json& environment);

}  // namespace highwater::kit
