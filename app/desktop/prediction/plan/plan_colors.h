#pragma once

#include "widgets/theme/theme.h"

namespace highwater::desktop {

/// What a plan keeps, and what it takes.
inline QColor planColor() {
    return widgets::theme().of(memory::Category::Activations);
}

/// What is recomputed: the color of that phase.
inline QColor againColor() {
    constexpr std::size_t kRecompute = 2;
    return widgets::theme().phase[kRecompute];
}

}  // namespace highwater::desktop
