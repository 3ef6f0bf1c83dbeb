#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/stack/experiment.h"

/// Imports nnU-Net's plans files, in both layouts: `UNet_base_num_features`, `pool_op_kernel_sizes`, ... and
/// `architecture.arch_kwargs`.
namespace highwater::stack {

struct NnunetImport {
    Experiment experiment;
    std::vector<std::string> notes;  ///< what was assumed, one line each (classes, channels, precision)
    /// nnU-Net's loss of a batch is not the mean of its samples' losses (batch_dice, or a label "ignore"), so
    /// micro-batches would change nnU-Net's results.
    bool lossOfWholeBatch = false;
};

struct NnunetOptions {
    std::string configuration = "3d_fullres";
    /// Channels of the images. 0: as in the dataset.json in the plans' folder, otherwise one per
    /// normalization scheme. A configuration with a previous stage takes that stage's foreground labels as
    /// additional channels.
    std::int64_t inputChannels = 0;
    std::int64_t classes = 0;  ///< including the background; 0: as in the dataset.json in the plans' folder,
                               ///< otherwise 2
    bool deepSupervision = true;  ///< a head on every decoder stage except the lowest, as nnU-Net trains
    Precision precision = Precision::Fp16;  ///< as nnU-Net on CUDA; a run on the CPU needs fp32
};

/// Imports the network that nnU-Net trains with these plans (PlainConvUNet or ResidualEncoderUNet of
/// dynamic-network-architectures: conv with bias, instance norm, leaky relu 0.01 in place; transposed convs
/// for upsampling; a 1x1 convolution at the end), its patch and batch, dice with cross-entropy, SGD with
/// nesterov momentum 0.99, lr 0.01 and weight decay 3e-5, with cuDNN's benchmark on. Each stage is a block,
/// so that it can be checkpointed. Errors, one line: a key that is missing or of the wrong type; a
/// configuration that does not exist (the message lists those that do); a network class other than these two;
/// a circular inherits_from.
base::Result<NnunetImport> importNnunet(std::string_view plans, std::string_view name,
                                        const NnunetOptions& options);
base::Result<NnunetImport> importNnunetFile(const std::filesystem::path& plans, const NnunetOptions& options);
/// Returns the configurations of a plans file, in its order, without abstract ones (those without an
/// architecture).
base::Result<std::vector<std::string>> nnunetConfigurations(std::string_view plans, std::string_view name);
/// Quickly tests whether the text is a plans file.
bool looksLikeNnunetPlans(std::string_view text);

}  // namespace highwater::stack
