#pragma once

#include <string>
#include <vector>

#include "core/predict/recorded/recorded.h"

/// A comparison in words, for the command line and the window.
namespace highwater::predict {

/// What was found, one sentence a line: the steps, the peak, and what explains the difference.
std::vector<std::string> comparisonLines(const RecordedComparison& comparison, const stack::StackInfo& info);
/// Rows of text, the first of them the heading: kind, predicted, recorded, difference, and what is to be said
/// about it.
std::vector<std::vector<std::string>> kindRows(const RecordedComparison& comparison);
/// The same for the workspaces: layer, part, predicted, recorded.
std::vector<std::vector<std::string>> workspaceRows(const RecordedComparison& comparison,
                                                    const stack::StackInfo& info);

}  // namespace highwater::predict
