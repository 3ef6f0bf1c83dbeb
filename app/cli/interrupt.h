#pragma once

#include <atomic>

namespace highwater::cli {

/// From now on SIGINT is counted instead of ending the program. A third one still ends it, because the
/// program may be blocked by a stalled file system.
void catchInterrupts();
int interrupts();
/// True after the first interrupt.
const std::atomic<bool>& interruptFlag();

}  // namespace highwater::cli
