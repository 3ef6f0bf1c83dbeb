#pragma once

#include <string>

#include "core/base/units.h"

/// The machine that this process runs on, as LibTorch and oneDNN will see it.
namespace highwater::base {

/// Returns the processor's name as the system reports it, "CPU" if it reports none.
std::string processorName();
/// Returns the instruction set that oneDNN generates code for: "avx512", "avx2", "avx", "sse", "neon" or
/// "generic". On x86 it is limited by ONEDNN_MAX_CPU_ISA (or DNNL_MAX_CPU_ISA).
std::string instructionSet();
/// Returns how many threads LibTorch uses by default: OMP_NUM_THREADS, otherwise MKL_NUM_THREADS, otherwise
/// one per processor that this process may use. At least 1.
int defaultThreads();
/// Returns the most memory that this process can ever have, in bytes: the machine's memory, or its control
/// group's limit if that is less.
Bytes machineMemory();

}  // namespace highwater::base
