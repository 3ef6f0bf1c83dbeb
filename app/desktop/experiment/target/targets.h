#pragma once

#include <QComboBox>
#include <QString>

#include "app/desktop/experiment/bar/target_field.h"

/// The entries of a TargetField in this program.
namespace highwater::desktop {

/// "RTX 3060 12 GB" for "NVIDIA GeForce RTX 3060 12 GB": without the words common to all.
QString shortDeviceName(const std::string& name);
/// Adds all GPU profiles, with their ids as data. Returns why there are none, or an empty string.
QString offerGpus(QComboBox& box);
/// Adds all GPU profiles. Returns why there are none, or an empty string.
QString offerTargets(TargetField& field);
/// Adds the releases of LibTorch and cuDNN.
void offerVersions(TargetField& field);
/// Names the cuDNN that comes with the chosen LibTorch.
void showDefaultCudnn(TargetField& field);
/// Shows the known size of the chosen GPU's CUDA context.
void showContext(TargetField& field);

}  // namespace highwater::desktop
