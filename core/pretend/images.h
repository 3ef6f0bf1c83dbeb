#pragma once

#include <vector>

// The code that a program has for its kernels. nvcc leaves a "fat binary" for each source file, with an image
// for each architecture that it was compiled for. Layout: fatbinary_section.h of the CUDA toolkit, and the
// entries as tools that take such files apart document them.
namespace highwater::pretend {

// The architectures (86 is sm_86) that the argument of __cudaRegisterFatBinary has code for; empty where it
// is laid out otherwise.
std::vector<int> imageArchitectures(const void* registered);

// Of these, the one whose code a GPU of that compute capability runs: the newest of its own generation that
// is no newer than it, else the newest older one (which is compiled when it is loaded). The capability where
// there is none.
int architectureThatRuns(const std::vector<int>& architectures, int capability);

}  // namespace highwater::pretend
