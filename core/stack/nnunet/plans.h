#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/json_reader.h"
#include "core/base/result.h"
#include "core/stack/experiment.h"

/// The content of nnU-Net's files, as one value for both layouts. Private to core/stack.
namespace highwater::stack {

/// PlainConvUNet or ResidualEncoderUNet of dynamic-network-architectures.
struct NnunetNetwork {
    struct Stage {
        std::int64_t features = 32;
        Sizes kernel, stride;     ///< one value per axis
        std::int64_t layers = 2;  ///< convolutions, or residual blocks
    };
    bool residual = false;
    std::vector<Stage> stages;          ///< the encoder's stages, full resolution first; at least two
    std::vector<std::int64_t> decoder;  ///< convolutions of each decoder stage, lowest first; one stage fewer
                                        ///< than the encoder
    std::int64_t stemChannels = 0;      ///< residual networks only
    bool bias = true;
    std::optional<Norm> norm;
    std::optional<Dropout> dropout;
    std::optional<Activation> nonlin;
    bool nonlinFirst = false;  ///< the nonlinearity comes before the norm instead of after it
};

struct NnunetPlan {
    std::string dataset, configuration;
    std::int64_t batch = 2;
    Sizes patch;                ///< D, H, W or H, W
    std::int64_t channels = 0;  ///< one per normalization scheme; 0: not given
    bool cascade = false;       ///< takes the previous stage's labels as additional channels
    bool batchDice = false;     ///< the dice is that of the whole batch, not the mean of its samples'
    NnunetNetwork network;
};

/// Reads a plan. Errors begin with the place: "/configurations/2d/patch_size: ...".
base::Result<NnunetPlan> readNnunetPlan(const base::Json& plans, std::string_view configuration);

/// The content of dataset.json.
struct NnunetDataset {
    std::int64_t channels = 1;
    std::int64_t classes = 2;     ///< output channels: the number of labels without "ignore", or of regions
    std::int64_t foreground = 1;  ///< number of labels above 0
    bool regions = false;
    bool ignore = false;  ///< voxels with the label "ignore" are left out of the loss
};
base::Result<NnunetDataset> readNnunetDataset(const base::Json& dataset);

/// Returns the layers, ending with a 1x1 convolution to `classes`. With deep supervision there is a head on
/// every decoder stage except the last, which has that convolution, and the lowest, to which nnU-Net gives no
/// weight.
std::vector<Layer> nnunetLayers(const NnunetNetwork& network, std::int64_t classes, bool deepSupervision);

}  // namespace highwater::stack
