#pragma once

#include <string>

#include "core/report/document.h"

namespace highwater::report {

/// The document as one self-contained HTML page: no network, no script, light or dark by the reader's
/// setting, ready to print.
std::string page(const Document& document);

}  // namespace highwater::report
