#include "core/predict/calibration_guess.h"

namespace highwater::predict {

GuessModel::GuessModel(const std::unordered_map<std::string, OpRow>&, double widening)
    : widening_(widening) {}

Estimate GuessModel::guess(const ConvKey& op) const {
    const base::Bytes all = 4 * (op.inputElements() + op.outputElements() + op.weightElements());
    return {0, all, static_cast<base::Bytes>(4.0 * static_cast<double>(all) * widening_)};
}

}  // namespace highwater::predict
