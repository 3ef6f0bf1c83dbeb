#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/json_reader.h"
#include "core/base/result.h"
#include "core/stack/experiment.h"

/// What nnU-Net's files say, both layouts as one value. Private to core/stack.
namespace highwater::stack {

/// PlainConvUNet or ResidualEncoderUNet of dynamic-network-architectures.
struct NnunetNetwork {
    struct Stage {
        std::int64_t features = 32;
        Sizes kernel, stride;     ///< one value an axis
        std::int64_t layers = 2;  ///< convolutions, or residual blocks
    };
    bool residual = false;
    std::vector<Stage> stages;          ///< the encoder's, the full resolution first; at least two
    std::vector<std::int64_t> decoder;  ///< convolutions of each stage, the lowest first; one less
    std::int64_t stemChannels = 0;      ///< residual
    bool bias = true;
    std::optional<Norm> norm;
    std::optional<Dropout> dropout;
    std::optional<Activation> nonlin;
    bool nonlinFirst = false;  ///< before the norm instead of after it
};

struct NnunetPlan {
    std::string dataset, configuration;
    std::int64_t batch = 2;
    Sizes patch;                ///< D, H, W or H, W
    std::int64_t channels = 0;  ///< one a normalization scheme; 0: not said
    bool cascade = false;       ///< takes the previous stage's labels as further channels
    NnunetNetwork network;
};

/// Errors start with the place: "/configurations/2d/patch_size: ...".
base::Result<NnunetPlan> readNnunetPlan(const base::Json& plans, std::string_view configuration);
/// A configuration with what it inherits.
base::Result<base::Json> resolveNnunetConfiguration(const base::Json& plans, std::string_view configuration);
bool hasNnunetNetwork(const base::Json& configuration);

/// dataset.json.
struct NnunetDataset {
    std::int64_t channels = 1;
    std::int64_t classes = 2;     ///< output channels: labels without "ignore", or regions
    std::int64_t foreground = 1;  ///< labels above 0
    bool regions = false;
};
base::Result<NnunetDataset> readNnunetDataset(const base::Json& dataset);

/// The layers, ending with a 1x1 convolution to `classes`. With deep supervision a head on every decoder
/// stage but the last, which has that convolution, and the lowest, which nnU-Net gives no weight.
std::vector<Layer> nnunetLayers(const NnunetNetwork& network, std::int64_t classes, bool deepSupervision);

}  // namespace highwater::stack
