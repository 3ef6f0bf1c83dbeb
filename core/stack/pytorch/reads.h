#pragma once

#include <algorithm>
#include <unordered_set>

#include "core/stack/pytorch/graph.h"

/// Helper for building graphs. Private to core/stack/pytorch and core/stack/onnx.
namespace highwater::stack::pytorch {

/// The values that a call reads, without duplicates.
class Reads {
public:
    void add(const Argument& argument) {
        if (const auto* one = std::get_if<Ref>(&argument)) {
            add(*one);
        } else if (const auto* several = std::get_if<Refs>(&argument)) {
            std::for_each(several->begin(), several->end(), [this](Ref ref) { add(ref); });
        }
    }
    Refs refs;

private:
    void add(Ref ref) {
        if (seen_.insert(ref).second) {
            refs.push_back(ref);
        }
    }
    std::unordered_set<Ref> seen_;
};

}  // namespace highwater::stack::pytorch
