#pragma once

namespace highwater::base {

/// What each program's main() does first. Opens standard streams that are closed, so that no other file gets
/// their numbers and is written to by mistake: input is then empty, output cannot be written, which is
/// reported, and stderr is discarded. A file that would exceed the limit of the shell (`ulimit -f`) is an
/// error like a full disk and does not kill the program.
void beginProgram();

/// Ends the process without the destructors of static objects; LibTorch's take a tenth of a short run. The
/// caller must flush std::cout.
[[noreturn]] void endProgram(int exit);

}  // namespace highwater::base
