#pragma once

#include <string>

#include "core/predict/predict.h"
#include "core/report/document.h"

/// A predicted step as a chart. Private to core/report.
namespace highwater::report {

/// The ledger's parts as a bar with its key.
std::vector<Key> ledgerSplit(const memory::Ledger& ledger);
/// The chart of the step's memory; a sentence if there is no time to draw it over.
Parts stepPart(const predict::Prediction& prediction, const stack::StackInfo& info, const std::string& title,
               const std::string& prefix);
/// The number of layers, without blocks.
std::int64_t layerCount(const stack::StackInfo& info);

}  // namespace highwater::report
