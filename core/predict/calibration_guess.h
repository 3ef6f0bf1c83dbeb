#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "core/predict/calibration.h"

namespace highwater::predict {

/// What the rows of a table say of convolutions that have none.
class GuessModel {
public:
    GuessModel(const std::unordered_map<std::string, OpRow>& rows, double widening);

    Estimate guess(const ConvKey& op) const;

private:
    struct Sample {
        double result = 0;
    };
    double widening_ = 1;
};

}  // namespace highwater::predict
