#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/json_reader.h"
#include "core/study/claim.h"
#include "core/study/claim_experiments.h"

/// Reads parts of a claim's file. Private to core/study.
namespace highwater::study {

/// Text of at most 4096 bytes. Without a fallback it must be there and not empty.
std::string shortText(base::JsonReader& reader, std::string_view key,
                      const std::optional<std::string>& fallback);

/// Read "along" and "fits"; claim.experiments must have been read before.
void readAlong(base::JsonReader& claimReader, const std::vector<Draft>& drafts, Claim& claim);
void readFits(base::JsonReader& claimReader, const std::vector<Draft>& drafts, Claim& claim);

}  // namespace highwater::study
