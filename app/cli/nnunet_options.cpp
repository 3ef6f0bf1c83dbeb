#include "app/cli/nnunet_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/file.h"
#include "core/stack/nnunet/nnunet.h"

namespace highwater::cli {

void addNnunetFileOptions(CLI::App& command, NnunetFileOptions& options) {
    command.add_option("PLANS", options.plans, "nnU-Net's plans file (nnUNetPlans.json, plans.json)")
        ->required();
    command.add_option("--configuration", options.configuration,
                       "The configuration, such as 3d_fullres (default: the only one there is)");
    command
        .add_option("--classes", options.classes,
                    "The number of classes with the background (default: from dataset.json beside the "
                    "plans, otherwise 2)")
        ->check(CLI::Range(2, 65536));
    command
        .add_option("--channels", options.channels,
                    "The number of channels of the images (default: from dataset.json, otherwise one per "
                    "normalization scheme)")
        ->check(CLI::Range(1, 65536));
}

base::Result<std::string> chosenConfiguration(const NnunetFileOptions& options) {
    if (!options.configuration.empty()) {
        return options.configuration;
    }
    const auto text = HIGHWATER_TRY(base::readFile(options.plans));
    const auto names = HIGHWATER_TRY(stack::nnunetConfigurations(text, options.plans));
    if (names.size() == 1) {
        return names.front();
    }
    return base::Error{fmt::format("--configuration: {} has several; choose one of {}", options.plans,
                                   fmt::join(names, ", "))};
}

}  // namespace highwater::cli
