#pragma once

#include <atomic>

namespace highwater::cli {

/// From here on SIGINT is counted instead of ending the program.
void catchInterrupts();
int interrupts();
/// True once there was one.
const std::atomic<bool>& interruptFlag();

}  // namespace highwater::cli
