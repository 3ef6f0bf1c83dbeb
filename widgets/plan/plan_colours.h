#pragma once

#include "widgets/theme/theme.h"

namespace highwater::widgets {

/// What a plan keeps, and what it takes.
inline QColor planColour() {
    return theme().of(memory::Category::Activations);
}

/// What is computed again: the colour of that phase.
inline QColor againColour() {
    constexpr std::size_t kRecompute = 2;
    return theme().phase[kRecompute];
}

}  // namespace highwater::widgets
