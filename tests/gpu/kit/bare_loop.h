#pragma once

#include <memory>

#include "core/stack/experiment.h"

namespace highwater::kit {

/// The experiment's step as a plain LibTorch loop: no ledger, no clocks, no hooks. For stacks without
/// branches and heads, in fp32, without checkpoints. Throws std::exception for other experiments.
class BareLoop {
public:
    BareLoop(const stack::Experiment& experiment, const std::string& device);
    ~BareLoop();
    /// Trains that many steps and waits for the device; returns milliseconds per step.
    double run(int steps);

private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace highwater::kit
