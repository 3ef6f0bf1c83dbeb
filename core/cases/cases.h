#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/cases/host_memory.h"
#include "core/predict/inference/inference.h"
#include "core/scan/cohort.h"
#include "core/stack/nnunet/inference.h"

/// Whether each scan of a folder can be segmented by nnU-Net's predictor on a GPU and a host.
namespace highwater::cases {

struct CasesRequest {
    stack::NnunetInference plan;
    predict::Target target;      ///< a GPU
    base::Bytes host = 0;        ///< memory of the host for this; 0: unknown
    bool mirror = true;          ///< test-time augmentation
    bool onDevice = true;        ///< perform_everything_on_device is tried first
    bool probabilities = false;  ///< probabilities are saved
    int folds = 1;               ///< networks whose logits are averaged
    double step = 0.5;           ///< tile_step_size
};

/// Where the image and the logits are.
struct PlaceNeed {
    base::Bytes allocated = 0;                      ///< of the GPU: torch.cuda.max_memory_allocated()
    predict::Estimate reserved;                     ///< of the GPU, without the context
    predict::Fits fits = predict::Fits::Uncertain;  ///< the GPU
    double odds = 0;                                ///< of running out of GPU memory
    std::string outOfMemory;                        ///< where the GPU's memory ends; empty if it suffices
    HostMemory host;                                ///< arrays only
    base::Bytes hostPeak = 0;                       ///< with the process and the weights
};

struct CaseNeed {
    std::string name;
    std::string problem;  ///< why there are no figures, one line; empty if there are
    std::vector<std::string> warnings;
    CaseSize size;
    PlaceNeed onDevice;  ///< perform_everything_on_device
    PlaceNeed onHost;    ///< the GPU computes one window at a time; all arrays are in host memory

    /// Where the predictor runs the case. Tries: it begins on the device, runs out of memory there, and
    /// starts again on the host.
    enum class Way { OnDevice, MayFallBack, FallsBack, OnHost, NoGpu, Problem };
    Way way = Way::Problem;
    /// The host memory of that way: with MayFallBack and FallsBack the larger of both.
    base::Bytes hostPeak = 0;
    bool hostSuffices = true;  ///< false: more than CasesRequest::host
    bool fits() const { return way != Way::NoGpu && way != Way::Problem && hostSuffices; }
};

/// "everything on the device", "starts again on the host", ...
std::string_view wayText(CaseNeed::Way way);

struct CasesAnswer {
    std::vector<CaseNeed> cases;
    std::vector<std::string> notes;  ///< about the folder and the plans, one line each
    base::Bytes weights = 0;         ///< of one network in fp32
};

/// Asks cuDNN for the workspaces of the network's convolutions, which otherwise are guessed, and adds the
/// answers to the target. `ask` as in plan::Trying. Does nothing for a network that cannot be predicted.
void learnWorkspaces(CasesRequest& request,
                     const std::function<bool(const predict::Prediction&, predict::Target&)>& ask);

/// The need of one scan. Does not read its voxels.
CaseNeed caseNeed(const CasesRequest& request, const std::string& name, const volume::Geometry& geometry);

struct CasesProgress {
    std::function<void(std::size_t done, std::size_t all, const std::string& last)> tell;
    const std::atomic<bool>* cancel = nullptr;
};

/// Finds the cases of a folder (scan::findCases) and reads their headers, each in a process of its own. A
/// scan that cannot be read keeps its row, with the reason. Blocks. Errors: no such folder, no scans in it; a
/// network that cannot be predicted; "cancelled".
base::Result<CasesAnswer> casesOf(const CasesRequest& request, const std::filesystem::path& folder,
                                  const CasesProgress& progress = {});

/// What helps a case that does not fit, most effective first, one line each. Empty if it fits.
std::vector<std::string> whatHelps(const CasesRequest& request, const CaseNeed& need);

}  // namespace highwater::cases
