#pragma once

namespace highwater::step {

/// What a layer's forward is for.
enum class ForwardMode {
    Train,      ///< batch statistics, running statistics updated, dropout active
    Recompute,  ///< as Train, but running statistics are left alone
    Evaluate,   ///< running statistics, no dropout
};

}  // namespace highwater::step
