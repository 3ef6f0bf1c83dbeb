#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/memory/ledger.h"
#include "core/memory/phase.h"
#include "core/predict/tables/conv_key.h"
#include "core/predict/tables/estimate.h"
#include "core/predict/target/target.h"
#include "core/predict/workspaces/workspace.h"
#include "core/stack/experiment.h"
#include "core/stack/shapes.h"

/// A walk: two training steps, executed symbolically, with all allocations and frees that LibTorch would
/// make.
namespace highwater::predict {

/// One allocation. Each has a unique number: its index in Walk::blocks.
struct WalkBlock {
    Estimate bytes;           ///< requested from the allocator; more than 0
    std::string_view label;   ///< the operator that requested it, a literal: "conv", "batch_norm", "adam"
    std::int16_t layer = -1;  ///< the layer that requested it (index into StackInfo::layers), or -1
    /// A workspace that cuDNN was asked about: the smallest of its other plans. LibTorch falls back to such a
    /// plan if memory is short. -1: there is none.
    base::Bytes least = -1;
    /// The block in which `benchmark` times cuDNN's plans: when it is freed, LibTorch empties the allocator's
    /// cache.
    bool emptiesCache = false;
};

struct WalkEvent {
    enum class Kind : std::uint8_t {
        Allocate,  ///< `block` is allocated, in `category`
        Retag,     ///< `block` changes its category to `category`
        Free       ///< `block` is freed; `category` is its last one
    };
    std::uint32_t block = 0;  ///< index into Walk::blocks
    std::int16_t layer = -1;  ///< the layer being executed; -1 for none
    Kind kind = Kind::Allocate;
    memory::Category category = memory::Category::Temporaries;
    memory::Category from = memory::Category::Temporaries;  ///< Retag: the previous category
    memory::Phase phase = memory::Phase::Setup;
    std::int8_t step = -1;  ///< -1: before the first step, then 0 and 1
};

/// Elements that an operator copies into the other memory layout (GPUs): in separate copies, or by reading a
/// tensor in another layout than its result. 16-bit and 32-bit elements count the same.
struct LayoutCopies {
    double toChannelsLast = 0;
    double toContiguous = 0;
    /// As toContiguous, for tensors whose samples are larger than the device's L2 cache.
    double beyondCache = 0;
    bool operator==(const LayoutCopies&) const = default;
};

/// One operator. It begins at event number `event` and ends where the next one begins.
struct WalkOp {
    std::size_t event = 0;
    std::int16_t layer = -1;
    memory::Phase phase = memory::Phase::Setup;
    std::int8_t step = -1;
    /// A key of CpuSpeed::compute ("conv", "conv_1x1", "conv_fused", "depthwise", "conv_transpose") or
    /// ::memory ("elementwise", "norm", "pool", "upsample", "copy", "optimizer"); GPUs: "conv_columns",
    /// "concat", "pool_backward" and "upsample_backward", too. A literal.
    std::string_view family;
    DType dtype = DType::Float32;  ///< the type that it computes in
    double flops = 0;              ///< a multiply-add counts as two
    double bytesMoved = 0;         ///< bytes read and written, each tensor once
    LayoutCopies layoutCopies;     ///< in addition to `bytesMoved`
    /// GPUs: clock cycles of its longest thread block, regardless of the number of blocks.
    double blockCycles = 0;
    double measuredUs = 0;  ///< time in microseconds from the row of the calibration or the GPU table; 0 if
                            ///< there is none
    double guessedUs = 0;   ///< guessed from similar rows of the CPU's calibration; 0: unknown
    /// How many times the operator runs in a real step. More than 1 only in a micro-batch or window that
    /// represents those that are not walked (kPartsWalked, kWindowsWalked).
    double repeats = 1;
    /// Convolutions: index into Walk::convolutions; -1 for other operators.
    std::int32_t convolution = -1;
    /// For an entry that is not an operator: the device waits for the end of a transfer, an index into
    /// Walk::transfers.
    std::int32_t transfer = -1;
};

/// A copy between the device and host memory that runs concurrently with the operators.
struct WalkTransfer {
    std::size_t op = 0;  ///< it begins before this operator: index into Walk::ops
    bool toHost = true;
    base::Bytes bytes = 0;  ///< more than 0; for expected sizes
};

struct Walk {
    static constexpr int kSteps = 2;
    /// From the second sliding window on, all windows have the same allocations, so only this many are
    /// walked, and the last one represents all later ones.
    static constexpr std::int64_t kWindowsWalked = 4;
    /// The same for micro-batches. The second to last represents those left out, because ranks exchange
    /// gradients before the backward of the last one.
    static constexpr std::int64_t kPartsWalked = 8;

    std::vector<WalkBlock> blocks;
    std::vector<WalkEvent> events;        ///< in order
    std::vector<WalkOp> ops;              ///< in order
    std::vector<WalkTransfer> transfers;  ///< in order
    /// Index into `events` (and `ops`) at which each step begins. The events before the first step make the
    /// network.
    std::size_t stepEvent[kSteps] = {0, 0}, stepOp[kSteps] = {0, 0};

    /// The distinct convolution passes, in the order in which they first occur, and whether each had a row
    /// (CPU: in the calibration; GPUs: in the workspace table).
    struct Convolution {
        ConvKey key;
        int layer = -1;  ///< the first layer with this pass
        bool hasRow = false;
        bool asked = false;  ///< no part is guessed, and at least one is cuDNN's answer
    };
    std::vector<Convolution> convolutions;
    std::vector<Workspace> workspaces;  ///< GPUs: for the distinct passes, in their order
    /// GPUs: a part of a convolution pass that cuDNN computes.
    struct CudnnCall {
        std::size_t event = 0;         ///< index into `events` at which its workspace is allocated
        std::int32_t convolution = 0;  ///< index into `convolutions`
        std::int32_t block = -1;       ///< its workspace; -1: none
        ConvPart part = ConvPart::Forward;
    };
    std::vector<CudnnCall> cudnnCalls;  ///< in order, including repetitions
    /// For the second step, including repetitions.
    std::size_t convolutionPasses = 0, passesWithoutRow = 0, passesAsked = 0;
    double parts = 1;  ///< forward passes of a step: micro-batches, times windows

    std::vector<base::Bytes> activationBytes;  ///< by layer: bytes that its forward adds to the activations
    std::vector<base::Bytes> parameterBytes;   ///< by layer: weights and buffers
    std::vector<std::string> guesses;  ///< guesses other than convolutions without a row; one line each
};

/// Walks the construction of the network and two steps. All events of a block are in order; a block that is
/// live at the end has no Free event. Errors, one line: a setting that cannot be predicted for this target;
/// more memory than 2^62 bytes.
base::Result<Walk> walk(const stack::Experiment& experiment, const stack::StackInfo& info,
                        const Target& target);

/// Returns the distinct convolution passes of a CPU step, in the order in which they first occur: the ones
/// that a calibration must measure. Empty if the experiment cannot be predicted.
std::vector<ConvKey> convolutionsOf(const stack::Experiment& experiment, const stack::StackInfo& info);

}  // namespace highwater::predict
