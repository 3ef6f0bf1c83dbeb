#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/stack/experiment.h"

/// nnU-Net's plans files, in both layouts: `UNet_base_num_features`, `pool_op_kernel_sizes`, ... and
/// `architecture.arch_kwargs`.
namespace highwater::stack {

struct NnunetImport {
    Experiment experiment;
    std::vector<std::string> notes;  ///< what was assumed, one line each (classes, channels, precision)
};

struct NnunetOptions {
    std::string configuration = "3d_fullres";
    /// Of the images; 0: dataset.json's beside the plans, else one a normalization scheme. A configuration
    /// with a previous stage takes its foreground labels as further channels.
    std::int64_t inputChannels = 0;
    std::int64_t classes = 0;     ///< with the background; 0: dataset.json's beside the plans, else 2
    bool deepSupervision = true;  ///< a head on every decoder stage but the lowest, as nnU-Net trains
    Precision precision = Precision::Fp16;  ///< nnU-Net's on CUDA; a run on the CPU needs fp32
};

/// The network that nnU-Net trains with these plans (PlainConvUNet or ResidualEncoderUNet of
/// dynamic-network-architectures: conv with bias, instance norm, leaky relu 0.01 in place; transposed convs
/// up; a 1x1 convolution at the end), its patch and batch, dice with cross-entropy, SGD with nesterov
/// momentum 0.99, lr 0.01 and weight decay 3e-5, with cuDNN's benchmark on. Each stage is a block, so that it
/// can be checkpointed.
/// Errors, one line: the key that is missing or of the wrong type; a configuration that is not there (listing
/// those that are); a network class that is not one of the two; inherits_from in a circle.
base::Result<NnunetImport> importNnunet(std::string_view plans, std::string_view name,
                                        const NnunetOptions& options);
base::Result<NnunetImport> importNnunetFile(const std::filesystem::path& plans, const NnunetOptions& options);
/// The configurations that a plans file holds, in its order, abstract ones (without an architecture) left
/// out.
base::Result<std::vector<std::string>> nnunetConfigurations(std::string_view plans, std::string_view name);
/// A quick look: whether the text is a plans file at all.
bool looksLikeNnunetPlans(std::string_view text);

}  // namespace highwater::stack
