#pragma once

#include <optional>
#include <vector>

// The code that a program has for its kernels. nvcc leaves a "fat binary" for each source file, with an image
// for each architecture that it was compiled for. Layout: fatbinary_section.h of the CUDA toolkit, and the
// entries as tools that take such files apart document them.
namespace highwater::pretend {

struct Image {
    int architecture = 0;    // 86 is sm_86
    bool compiled = true;    // else PTX, which the driver compiles for the GPU when it is loaded
    bool thisAlone = false;  // runs on this architecture and no later one (sm_90a)
    bool operator==(const Image&) const = default;
};

// The images in the argument of __cudaRegisterFatBinary; empty where it is laid out otherwise.
std::vector<Image> imagesOf(const void* registered);

// The architecture of the image that a GPU of that compute capability runs: the newest that was compiled for
// its own generation and is no newer than it, else the newest PTX that is no newer. None: no image runs
// there. Where there are no images at all, the capability.
std::optional<int> architectureThatRuns(const std::vector<Image>& images, int capability);

}  // namespace highwater::pretend
