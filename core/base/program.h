#pragma once

namespace highwater::base {

/// What each program's main() does first. Standard streams that are closed are opened, so that no file gets
/// their numbers and is written into: input is then empty, output cannot be written, which is reported, and
/// errors go nowhere. A file that would exceed the limit of the shell (`ulimit -f`) is an error like a full
/// disk, not the end of the program.
void beginProgram();

/// Ends the process without the destructors of static objects, which take LibTorch a tenth of a short run.
/// What was written to std::cout is flushed by the caller.
[[noreturn]] void endProgram(int exit);

}  // namespace highwater::base
