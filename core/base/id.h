#pragma once

#include <string>

namespace highwater::base {

/// Returns a new id, e.g. "20261121-070512-3f9a2c": the UTC time, then 24 random bits. Ids sort by time. They
/// are lower-case and safe as file names.
std::string newId();
/// The current time as ISO 8601 in UTC with milliseconds, "2026-11-21T07:05:12.345Z".
std::string isoNow();

}  // namespace highwater::base
