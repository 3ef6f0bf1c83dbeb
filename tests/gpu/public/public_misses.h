#pragma once

#include <string>
#include <utility>
#include <vector>

namespace highwater::truth {

/// Misses, each as "what was missed" and its reason, which may be empty. Those with the same reason become
/// one line, in the order of their first; those without a reason are listed last as not understood.
std::string missList(const std::vector<std::pair<std::string, std::string>>& misses);

}  // namespace highwater::truth
