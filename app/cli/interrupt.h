#pragma once

#include <atomic>

namespace highwater::cli {

/// From now on SIGINT is counted instead of ending the program. A third one ends it all the same: it may wait
/// for a file system that has stalled.
void catchInterrupts();
int interrupts();
/// True after the first interrupt.
const std::atomic<bool>& interruptFlag();

}  // namespace highwater::cli
