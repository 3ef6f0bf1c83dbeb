#pragma once

#include <string>
#include <vector>

#include "core/predict/recorded/recorded.h"

/// A comparison as text, for the command line and the window.
namespace highwater::predict {

/// The results, one sentence a line: the steps, the peak, and the explanation of the difference.
std::vector<std::string> comparisonLines(const RecordedComparison& comparison, const stack::StackInfo& info);
/// Rows of text, the first of them the heading: kind, predicted, recorded, difference, remark.
std::vector<std::vector<std::string>> kindRows(const RecordedComparison& comparison);
/// The same for the workspaces: layer, part, predicted, recorded.
std::vector<std::vector<std::string>> workspaceRows(const RecordedComparison& comparison,
                                                    const stack::StackInfo& info);

}  // namespace highwater::predict
