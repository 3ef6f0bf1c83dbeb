#pragma once

#include <nlohmann/json_fwd.hpp>

#include "core/cases/cases.h"

namespace highwater::cli {

/// The answer as a table, with what would help below it.
void printCases(const cases::CasesRequest& request, const cases::CasesAnswer& answer);
nlohmann::ordered_json casesJson(const cases::CasesRequest& request, const cases::CasesAnswer& answer);

}  // namespace highwater::cli
