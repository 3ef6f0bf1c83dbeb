#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

// What a run on the pretended device depended on: values that the host read, functions that are not modeled,
// and where cuDNN's workspaces came from. HIGHWATER_PRETEND_REPORT names a file that gets it as JSON:
//     {"gpu": "h200", "cudnn": "9.19.0", "reads": 3, "unmodeled": ["cusparseCreate"],
//      "workspaces": {"asked": 4, "cached": 20, "table": 0, "guessed": 1, "largest": 503371776,
//                     "benchmarked": {"operations": 2, "least": 0, "most": 503371776}}}
// The counts of `workspaces` are of different convolutions. `largest` is the largest workspace of a plan that
// ran. Of the operations that `benchmark` chose a plan for, which plan wins on the device is not known:
// `least` is the largest workspace if for each of them the smallest one won, `most` if the largest one did.
//
// The file is replaced by renaming whenever a convolution or a function is new, otherwise at most five times
// a second, and at the end of the process. It belongs to the process that first makes a context; the file
// must not be there before. Its forked children do not write it.
namespace highwater::pretend {

enum class PlanSource { Asked, Cached, Table, Guessed };

// A context is made: from now on the report is this process's.
void beginReport();
void reportCudnn(std::size_t version);  // as cudnnGetVersion gives it
// A convolution that was not seen before.
void reportPlans(PlanSource source);
// A plan ran that is larger than all that ran before.
void reportLargest(std::uint64_t bytes);
// The least and the most workspace among the plans of `operation` that were timed: at least two.
void reportTimed(const void* operation, std::uint64_t least, std::uint64_t most);
// The host reads `bytes` of device memory, few enough to be a value.
void reportRead(std::size_t bytes);

// Says that a function is not modeled; returns `notSupported`, its library's code for that.
int unmodeled(const std::string& name, int notSupported);

}  // namespace highwater::pretend

// For what runs in the same process: `callback` is called with
//     "read", "", bytes            where the host reads a value of at most 16 bytes from the device
//     "unmodeled", NAME, 0        where a function that is not modeled is called for the first time
// on the thread that does it, without a lock of this library. Null takes it away.
extern "C" void highwaterPretendOnEvent(void (*callback)(const char* kind, const char* text,
                                                         unsigned long long bytes));
