#pragma once

#include <string>
#include <vector>

#include "core/report/facts.h"
#include "core/report/report.h"

/// The parts of the page about one run, as markup. `prefix` is unique to the run in the page; `heading` is
/// "h2" or "h3".
namespace highwater::report {

std::string metaLine(const Facts& facts);
std::string failureBanner(const Facts& facts);
std::string headlineCards(const Facts& facts);
std::string setupParagraph(const Facts& facts);
std::string scanSection(const Facts& facts, const ReportInput& input, const std::string& heading);
std::string memorySection(const Facts& facts, const std::string& prefix, const std::string& heading);
/// A GPU's memory by parts; empty for a CPU run.
std::string deviceSection(const Facts& facts, const std::string& prefix, const std::string& heading);
/// Clocks, temperature and what slowed a GPU down; empty if none of it is known.
std::string conditionsPart(const Facts& facts);
std::string timeSection(const Facts& facts, const std::string& prefix, const std::string& heading);
/// Predicted and measured values; empty if nothing was predicted or nothing measured.
std::string predictedSection(const Facts& facts, const std::string& heading);
std::string stackSection(const Facts& facts, const std::string& prefix, const std::string& heading);
std::string machineSection(const Facts& facts, const std::string& heading);
std::string againSection(const Facts& facts, const std::string& heading);

/// A sentence that says which of the page's figures are estimates.
std::string footerSentence(const std::vector<Facts>& runs);

/// "204 ms", and "203 ms to 205 ms (95 %), 27 steps".
std::string stepTimeText(const base::Interval& interval);
std::string intervalText(const base::Interval& interval);

}  // namespace highwater::report
