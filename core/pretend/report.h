#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

// Reports what a run on the pretended device depended on: values that the host read, functions that are not
// modeled, and the sources of cuDNN's workspaces. HIGHWATER_PRETEND_REPORT names a file that gets it as JSON:
//     {"gpu": "h200", "cudnn": "9.19.0", "reads": 3, "unmodeled": ["cusparseCreate"],
//      "workspaces": {"asked": 4, "cached": 20, "table": 0, "guessed": 1, "largest": 503371776,
//                     "benchmarked": {"operations": 2, "least": 0, "most": 503371776}},
//      "nccl": {"communicators": 1, "bytes": 570425344}}
// `nccl` is there only if several ranks used it. The counts of `workspaces` are of different convolutions.
// `largest` is the largest workspace of a plan that ran. Of the operations that `benchmark` chose a plan for,
// which plan wins on the device is not known: `least` is the largest workspace if for each of them the
// smallest one won, `most` if the largest one did.
//
// The file is replaced by renaming whenever a convolution or a function is new, otherwise at most five times
// a second, and at the end of the process. It belongs to the process that first creates a context, and must
// not exist before. Forked children do not write it.
namespace highwater::pretend {

enum class PlanSource { Asked, Cached, Table, Guessed };

// A context was created: from now on this process writes the report.
void beginReport();
void reportCudnn(std::size_t version);  // as cudnnGetVersion gives it
// A convolution that was not seen before.
void reportPlans(PlanSource source);
// A plan ran whose workspace is larger than all before.
void reportLargest(std::uint64_t bytes);
// The smallest and largest workspace among the plans of `operation` that were timed: at least two.
void reportTimed(const void* operation, std::uint64_t least, std::uint64_t most);
// A communicator of NCCL took this much device memory, an estimate, or (negative) returned it.
void reportCommunicator(std::int64_t bytes);
// The host reads `bytes` of device memory, few enough to be a single value.
void reportRead(std::size_t bytes);

// Reports that a function is not modeled; returns `notSupported`, its library's code for that.
int unmodeled(const std::string& name, int notSupported);

}  // namespace highwater::pretend

// For code in the same process: `callback` is called with
//     "read", "", bytes            when the host reads a value of at most 16 bytes from the device
//     "unmodeled", NAME, 0        when a function that is not modeled is called for the first time
// on the calling thread, without a lock of this library. Null removes it.
extern "C" void highwaterPretendOnEvent(void (*callback)(const char* kind, const char* text,
                                                         unsigned long long bytes));
