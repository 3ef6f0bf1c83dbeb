#pragma once

namespace highwater::base {

/// What each program's main() does first. Opens standard streams that are closed, so that no other file gets
/// their numbers and is written to by mistake: input is then empty, output cannot be written, which is
/// reported, and stderr is discarded. A file that would exceed the limit of the shell (`ulimit -f`) is an
/// error like a full disk and does not kill the program.
void beginProgram();

/// Calls `handler` on SIGINT and SIGTERM, on a stack of its own: code that oneDNN generates keeps data in the
/// stack pointer, and a signal would write its frame into the heap. Blocking calls are interrupted. Must be
/// called in the thread that gets the signals, which is the process's first one unless it blocks them.
void onStopSignals(void (*handler)(int));

/// Ends the process without the destructors of static objects; LibTorch's take a tenth of a short run. The
/// caller must flush std::cout.
[[noreturn]] void endProgram(int exit);

}  // namespace highwater::base
