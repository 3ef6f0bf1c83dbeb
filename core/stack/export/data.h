#pragma once

#include <string>

#include "core/stack/experiment.h"
#include "core/stack/shapes.h"

/// The pieces of an exported program's data. What is drawn is drawn as the engine does
/// (core/engine/data/patch_maker.cpp, core/volume/augment_draw.cpp), number by number. Private to core/stack.
namespace highwater::stack::python {

/// class Random, and random_of(sample).
std::string randomClass(bool uniform, bool ofSample);
/// draw(random, ...), turned(...) and changed(...) for Data::augment; `data`: N, C, spatial.
std::string augmentationFunctions(const Experiment& experiment, const Shape& data);
/// Of those that turn or scale a patch; others change its values.
bool changesSpace(const Augmentation& augmentation);
/// Any of these is among Data::augment.
bool resamples(const Data& data);
bool turns(const Data& data);
bool rotates(const Data& data);
bool changesValues(const Data& data);
/// Reading scans, and class Patches.
std::string scanClasses(const Experiment& experiment, const StackInfo& info);

}  // namespace highwater::stack::python
