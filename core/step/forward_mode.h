#pragma once

namespace highwater::step {

/// The purpose of a layer's forward.
enum class ForwardMode {
    Train,      ///< uses batch statistics, updates running statistics, dropout is active
    Recompute,  ///< as Train, but does not update running statistics
    Evaluate,   ///< uses running statistics, no dropout
};

}  // namespace highwater::step
