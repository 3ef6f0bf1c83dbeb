#pragma once

namespace highwater::base {

/// Tells glibc's allocator to give memory back, for a program that stays open for hours: blocks of 4 MiB and
/// more are the system's again once they are freed, as are the last 8 MiB of a heap, and threads share four
/// heaps. Left alone, glibc raises the first limit with every large block that is freed, up to 32 MiB, and
/// keeps such blocks between small ones: in an hour of use at random the window at rest went from 331 to 433
/// MiB, with this from 258 to 280. Call it before the first thread is started. Another C library is left as
/// it is, and so are the settings of whoever set GLIBC_TUNABLES.
void boundHeap();

}  // namespace highwater::base
