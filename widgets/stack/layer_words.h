#pragma once

#include <QString>

#include "core/stack/experiment.h"

namespace highwater::widgets {

/// The main options of a layer in a few words, as far as they differ from the usual ones: "3³, stride 2", "in
/// place, id enc1", "with enc1", "enc2, checkpoint". `dims` is the number of spatial axes (for "3³"), 0 if
/// unknown.
QString optionsInWords(const stack::Layer& layer, int dims);

/// A group of layer types in the menu.
struct TypeGroup {
    QString title;  ///< "Convolution"
    std::vector<std::string_view> types;
};
/// All of stack::typeNames() except "block", in groups. A type that is in no group is listed under "Other".
std::vector<TypeGroup> typeGroups();

}  // namespace highwater::widgets
