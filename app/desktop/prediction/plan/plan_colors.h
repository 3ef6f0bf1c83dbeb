#pragma once

#include "widgets/theme/theme.h"

namespace highwater::desktop {

/// The colors of what a plan keeps and uses.
inline QColor planColor() {
    return widgets::theme().of(memory::Category::Activations);
}

/// Recomputed memory has the color of that phase.
inline QColor againColor() {
    constexpr std::size_t kRecompute = 2;
    return widgets::theme().phase[kRecompute];
}

}  // namespace highwater::desktop
