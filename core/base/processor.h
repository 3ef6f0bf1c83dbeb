#pragma once

#include <string>

#include "core/base/units.h"

/// The machine that this process runs on, as LibTorch and oneDNN will see it.
namespace highwater::base {

/// As the system names it; "CPU" where it does not.
std::string processorName();
/// The instructions that oneDNN generates code for: "avx512", "avx2", "avx", "sse", "neon", "generic". On x86
/// no more than ONEDNN_MAX_CPU_ISA (or DNNL_MAX_CPU_ISA) allows.
std::string instructionSet();
/// The threads that LibTorch takes where nobody says how many: OMP_NUM_THREADS, else MKL_NUM_THREADS, else
/// one for each processor that this process may use. At least 1.
int defaultThreads();
/// The most memory this process can ever have: the machine's, or its control group's limit where that is
/// less.
Bytes machineMemory();

}  // namespace highwater::base
