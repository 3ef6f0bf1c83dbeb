#pragma once

#include <string>

#include "core/report/document.h"

namespace highwater::report {

/// The document as a PDF of A4 pages with page numbers, an outline and light figures, which are drawings.
/// Text can be selected and searched. Pages end where a person would end them: a heading stays with what
/// follows, a table's header is repeated, a figure is whole. The same document gives the same bytes.
/// Empty where `stop` stopped it; a page takes some 10 ms.
std::string pdf(const Document& document, const Stop& stop = {});

}  // namespace highwater::report
