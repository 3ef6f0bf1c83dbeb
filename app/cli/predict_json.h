#pragma once

#include <string>

#include "core/plan/prediction_json.h"

namespace highwater::cli {

using plan::addBound;
using plan::bandJson;
using plan::fitsKey;
using plan::oddsJson;
using plan::Predicted;
using plan::predictionJson;

/// Prints a prediction for people on stdout: the peak with its band and split, whether it fits, time, cliffs
/// with the nearest safe sizes, the largest layers, what is a guess; with a scan, its curve. `name` is the
/// experiment's.
void printPrediction(const std::string& name, const Predicted& predicted);

/// "102 ms, from 73 ms to 213 ms".
std::string timeBandText(const predict::TimeEstimate& millis);

}  // namespace highwater::cli
