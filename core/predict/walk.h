#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/memory/ledger.h"
#include "core/memory/phase.h"
#include "core/predict/estimate.h"
#include "core/predict/predict.h"
#include "core/predict/tables/conv_key.h"

/// Two training steps as LibTorch would allocate and free in them, symbolically.
namespace highwater::predict {

/// One allocation. Each has a number of its own: its index in Walk::blocks.
struct WalkBlock {
    Estimate bytes;           ///< asked of the allocator; more than 0
    std::string_view label;   ///< the operator that asked, a literal: "conv", "batch_norm", "adam"
    std::int16_t layer = -1;  ///< that asked (index into StackInfo::layers), or -1
};

struct WalkEvent {
    enum class Kind : std::uint8_t {
        Allocate,  ///< `block` begins, in `category`
        Retag,     ///< `block` now counts to `category`
        Free       ///< `block` ends; `category` is the one it had
    };
    std::uint32_t block = 0;  ///< index into Walk::blocks
    std::int16_t layer = -1;  ///< where the run stood; -1: at no layer
    Kind kind = Kind::Allocate;
    memory::Category category = memory::Category::Temporaries;
    memory::Category from = memory::Category::Temporaries;  ///< Retag: the one before
    memory::Phase phase = memory::Phase::Setup;
    std::int8_t step = -1;  ///< -1: before the first step, then 0 and 1
};

/// One operator. It begins at event number `event` and is over where the next begins.
struct WalkOp {
    std::size_t event = 0;
    std::int16_t layer = -1;
    memory::Phase phase = memory::Phase::Setup;
    std::int8_t step = -1;
    /// A key of CpuSpeed::compute ("conv", "conv_1x1", "conv_fused", "depthwise", "conv_transpose") or
    /// ::memory ("elementwise", "norm", "pool", "upsample", "copy", "optimizer"); a literal.
    std::string_view family;
    DType dtype = DType::Float32;  ///< that it computes in
    double flops = 0;              ///< multiply and add count as two
    double bytesMoved = 0;         ///< read and written, each tensor once
    double measuredUs = 0;         ///< from the row of the calibration or GPU table; 0: none
    /// How often it runs in a row of windows of which the walk shows the first ones alone (kWindowsWalked).
    double repeats = 1;
    /// Convolutions: index into Walk::convolutions; -1 for other operators.
    std::int32_t convolution = -1;
};

struct Walk {
    static constexpr int kSteps = 2;
    /// Sliding windows after the second allocate as it does: so many are walked, the last one for all that
    /// follow.
    static constexpr std::int64_t kWindowsWalked = 4;

    std::vector<WalkBlock> blocks;
    std::vector<WalkEvent> events;  ///< in order
    std::vector<WalkOp> ops;        ///< in order
    /// Index into `events` (and `ops`) at which each step begins; before the first: making the network.
    std::size_t stepEvent[kSteps] = {0, 0}, stepOp[kSteps] = {0, 0};

    /// The distinct convolution passes, in the order in which they are met first, and whether each had a row
    /// (CPU: of the calibration; GPUs: of the workspace table).
    struct Convolution {
        ConvKey key;
        int layer = -1;  ///< that met it first
        bool hasRow = false;
    };
    std::vector<Convolution> convolutions;
    std::size_t convolutionPasses = 0, passesWithoutRow = 0;  ///< in the second step, repetitions included

    std::vector<base::Bytes> activationBytes;  ///< by layer: what its forward added to the activations
    std::vector<base::Bytes> parameterBytes;   ///< by layer: weights and buffers
    std::vector<std::string> guesses;          ///< beyond convolutions without a row; one line each
};

/// Walks making the network and two steps. All events of a block stand in order; what lives at the end of
/// the walk is not freed in it. Errors, one line: a lever that cannot be predicted for this target, more
/// memory than 2^62 bytes.
base::Result<Walk> walk(const stack::Experiment& experiment, const stack::StackInfo& info,
                        const Target& target);

}  // namespace highwater::predict
