#pragma once

#include <string>
#include <vector>

#include "core/report/document.h"
#include "core/report/facts.h"
#include "core/report/report.h"

/// The parts of the report about one run. `prefix` is unique to the run in the report; `heading` is the level
/// of the parts' headings, 2 or 3.
namespace highwater::report {

Parts metaLine(const Facts& facts);
Parts failureBanner(const Facts& facts);
Cards headlineCards(const Facts& facts);
Paragraph setupParagraph(const Facts& facts);
Parts scanSection(const Facts& facts, const ReportInput& input, int heading);
Parts memorySection(const Facts& facts, const std::string& prefix, int heading);
/// A GPU's memory by parts; empty for a CPU run.
Parts deviceSection(const Facts& facts, const std::string& prefix, int heading);
/// Clocks, temperature and what slowed a GPU down; empty if none of it is known.
Parts conditionsPart(const Facts& facts);
Parts timeSection(const Facts& facts, const std::string& prefix, int heading);
/// Predicted and measured values; empty if nothing was predicted or nothing measured.
Parts predictedSection(const Facts& facts, int heading);
Parts stackSection(const Facts& facts, const std::string& prefix, int heading);
Parts machineSection(const Facts& facts, int heading);
Parts againSection(const Facts& facts, int heading);

/// A sentence that says which of the page's figures are estimates.
std::string footerSentence(const std::vector<Facts>& runs);

/// "204 ms", and "203 ms to 205 ms (95 %), 27 steps".
std::string stepTimeText(const base::Interval& interval);
std::string intervalText(const base::Interval& interval);

}  // namespace highwater::report
