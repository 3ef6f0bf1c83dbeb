#pragma once

#include <string>

namespace highwater::base {

/// A new id, "20261121-070512-3f9a2c": UTC time then 24 random bits, so that ids sort by time. Lower-case,
/// file-name safe.
std::string newId();
/// The current time as ISO 8601 in UTC with milliseconds, "2026-11-21T07:05:12.345Z".
std::string isoNow();

}  // namespace highwater::base
