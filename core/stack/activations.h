#pragma once

#include <string_view>

#include "core/stack/experiment.h"

/// What is known of each activation. The source is PyTorch's tools/autograd/derivatives.yaml (1.13 to 2.15).
namespace highwater::stack {

/// The tensor that autograd keeps for an activation's backward.
enum class Kept { Input, Result, CopyOfInput };

struct ActivationFacts {
    std::string_view name;    ///< its type in files and on screen
    bool hasInplaceForm;      ///< torch.nn's module has `inplace`
    Kept kept = Kept::Input;  ///< out of place: Input or Result
    Kept keptInPlace = Kept::CopyOfInput;
};

const ActivationFacts& factsOf(Activation::Kind kind);
/// What this activation keeps, in place or not.
Kept keptBy(const Activation& activation);

}  // namespace highwater::stack
