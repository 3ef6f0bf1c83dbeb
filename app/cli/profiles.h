#pragma once

#include <nlohmann/json_fwd.hpp>

namespace highwater::cli {

/// The GPUs that `predict --target` knows, in the order of the list. Empty if the profiles cannot be read
/// (predict says why).
nlohmann::ordered_json profilesJson();
void printProfiles();

}  // namespace highwater::cli
