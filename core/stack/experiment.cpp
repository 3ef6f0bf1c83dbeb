#include "core/stack/experiment.h"

namespace highwater::stack {

Optimizer makeOptimizer(Optimizer::Kind kind) {
    Optimizer made;
    made.kind = kind;
    made.weightDecay = kind == Optimizer::Kind::AdamW ? 0.01 : 0;
    return made;
}

bool wantsClasses(Loss loss) {
    return loss == Loss::CrossEntropy || loss == Loss::Dice || loss == Loss::DiceCrossEntropy;
}

bool comparesProbabilities(Loss loss) {
    return loss == Loss::Bce || loss == Loss::SigmoidDice || loss == Loss::SigmoidDiceBce;
}

bool usesDice(Loss loss) {
    return loss == Loss::Dice || loss == Loss::DiceCrossEntropy || loss == Loss::SigmoidDice ||
           loss == Loss::SigmoidDiceBce;
}

Loss binaryLoss(Loss loss) {
    return loss == Loss::CrossEntropy       ? Loss::Bce
           : loss == Loss::Dice             ? Loss::SigmoidDice
           : loss == Loss::DiceCrossEntropy ? Loss::SigmoidDiceBce
                                            : loss;
}

}  // namespace highwater::stack
