#pragma once

#include <string>

#include "core/stack/experiment.h"
#include "core/stack/shapes.h"

/// The parts of an exported program that make its data. Random numbers are drawn exactly as in the engine
/// (core/engine/data/patch_maker.cpp, core/volume/augment_draw.cpp). Private to core/stack.
namespace highwater::stack::python {

/// Returns class Random, and random_of(sample).
std::string randomClass(bool uniform, bool ofSample);
/// Returns draw(random, ...), turned(...) and changed(...) for Data::augment; `data`: N, C, spatial.
std::string augmentationFunctions(const Experiment& experiment, const Shape& data);
/// Whether the augmentation is spatial; the others change a patch's values.
bool changesSpace(const Augmentation& augmentation);
/// Whether Data::augment contains any augmentation of this kind.
bool resamples(const Data& data);
bool turns(const Data& data);
bool rotates(const Data& data);
bool changesValues(const Data& data);
/// Returns the code that reads scans, and class Patches.
std::string scanClasses(const Experiment& experiment, const StackInfo& info);

}  // namespace highwater::stack::python
