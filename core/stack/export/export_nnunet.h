#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

/// Writes what nnU-Net needs to train with a plan of Highwater's: a plans file and an external trainer.
namespace highwater::stack {

struct NnunetChanges {
    std::string configuration;            ///< the one that the changes were made for
    std::string device;                   ///< for a comment
    std::vector<std::string> recomputed;  ///< modules, as in NnunetModule::name
    std::int64_t microBatches = 1;
    /// The end of the plans' and the trainer's name: letters, digits and underscores.
    std::string name = "highwater";
};

struct NnunetExport {
    std::string plansName;  ///< for nnUNetv2_train -p; the file must be called like that
    std::string trainer;    ///< the class, and the name of its file
    std::string dataset;    ///< from the plans; may be empty
    std::string plansText, trainerText;
};

/// The plans file is the given one (`text`; `name` is for errors) with another name. The trainer is
/// nnUNetTrainer of nnU-Net 2, needs only nnU-Net, and refuses other plans. In it the modules run under
/// torch.utils.checkpoint, and a batch is computed in parts whose gradients are summed. Errors: the text is
/// not a plans file; it does not have the configuration, or that is the second stage of a cascade; a name
/// with other characters.
base::Result<NnunetExport> exportNnunet(std::string_view text, std::string_view name,
                                        const NnunetChanges& changes);

/// An error unless the text may be NnunetChanges::name.
base::Status checkNnunetName(std::string_view text);

}  // namespace highwater::stack
