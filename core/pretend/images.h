#pragma once

#include <optional>
#include <vector>

// The kernel code in a program. nvcc emits a "fat binary" for each source file, with an image for each target
// architecture. Layout: fatbinary_section.h of the CUDA toolkit; the entries as documented by tools that
// dissect such files.
namespace highwater::pretend {

struct Image {
    int architecture = 0;    // 86 is sm_86
    bool compiled = true;    // otherwise PTX, which the driver compiles for the GPU when it is loaded
    bool thisAlone = false;  // runs only on this architecture, not on later ones (sm_90a)
    bool operator==(const Image&) const = default;
};

// The images in the argument of __cudaRegisterFatBinary; empty if its layout is different.
std::vector<Image> imagesOf(const void* registered);

// The architecture of the image that a GPU of that compute capability runs: the newest that was compiled for
// its own generation and is no newer than it, otherwise the newest PTX that is no newer. std::nullopt: no
// image runs on it. If there are no images at all, the compute capability.
std::optional<int> architectureThatRuns(const std::vector<Image>& images, int capability);

}  // namespace highwater::pretend
