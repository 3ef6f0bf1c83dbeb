#pragma once

#include <QString>

#include "app/desktop/experiment/bar/target_field.h"

/// What a TargetField offers in this program.
namespace highwater::desktop {

/// "RTX 3060 12 GB" for "NVIDIA GeForce RTX 3060 12 GB": without the words that all of them have.
QString shortDeviceName(const std::string& name);
/// Offers all GPU profiles. Returns why there are none, or an empty string.
QString offerTargets(TargetField& field);
/// Offers the releases of LibTorch and cuDNN.
void offerVersions(TargetField& field);
/// Names the cuDNN that comes with the chosen LibTorch.
void showDefaultCudnn(TargetField& field);
/// Shows what is known of the chosen GPU's CUDA context.
void showContext(TargetField& field);

}  // namespace highwater::desktop
