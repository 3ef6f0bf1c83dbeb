#pragma once

#include "app/cli/predict_json.h"

namespace highwater::cli {

/// Prints a prediction for people on stdout: the peak with its band and split, whether it fits, time, cliffs
/// with the nearest safe sizes, the largest layers, what is guessed; with a scan, its curve. `name` is the
/// experiment's.
void printPrediction(const std::string& name, const Predicted& predicted);

}  // namespace highwater::cli
