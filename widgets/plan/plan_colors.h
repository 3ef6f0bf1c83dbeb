#pragma once

#include "widgets/theme/theme.h"

namespace highwater::widgets {

/// What a plan keeps, and what it takes.
inline QColor planColor() {
    return theme().of(memory::Category::Activations);
}

/// What is recomputed: the color of that phase.
inline QColor againColor() {
    constexpr std::size_t kRecompute = 2;
    return theme().phase[kRecompute];
}

}  // namespace highwater::widgets
