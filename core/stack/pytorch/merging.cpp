#include <fmt/format.h>

#include <algorithm>

#include "core/stack/pytorch/operators.h"

namespace highwater::stack::pytorch {

namespace {

void ofTwo(Converter& c, const std::string& kind) {
    const Ref first = c.tensor("self"), second = c.tensor("other");
    const int one = c.read(first), other = c.read(second);
    const bool commutes = kind != "sub";
    if (c.endsInPlace()) {
        c.overwrite(first, {{"type", kind}}, {one, other}, {.commutes = commutes, .remark = c.outOfPlace()});
    } else {
        c.add({{"type", kind}}, {one, other}, c.trained(first) || c.trained(second), {.commutes = commutes});
    }
}

void scale(Converter& c, double value) {
    c.write({{"type", "scale"}, {"value", plainNumber(value)}}, c.endsInPlace(), false);
}

}  // namespace

void arithmetic(Converter& c) {
    const std::string kind = c.kind();
    if (c.number("alpha") != 1) {
        return c.refuse(kind + " with alpha");
    }
    if (c.isTensor("other")) {
        return ofTwo(c, kind);
    }
    if (kind != "mul") {
        return c.refuse(kind + " of a number");
    }
    scale(c, c.number("other"));
}

void divide(Converter& c) {
    if (c.isTensor("other")) {
        return c.refuse("div by a tensor");
    }
    if (c.has("rounding_mode")) {
        return c.refuse("div with rounding");
    }
    const double by = c.number("other");
    if (by == 0) {
        return c.refuse("div by 0");
    }
    scale(c, 1 / by);
}

void negative(Converter& c) {
    scale(c, -1);
}

void concat(Converter& c) {
    const Refs parts = c.tensors("tensors");
    if (c.axis("dim", c.shape().size()) != 1) {
        return c.refuse("cat along another axis than the channels");
    }
    if (parts.size() == 1) {
        return c.copyOf(parts.front(), "cat of a single tensor");
    }
    std::vector<int> inputs;
    for (const Ref part : parts) {
        inputs.push_back(c.read(part));
    }
    c.add({{"type", "concat"}}, inputs,
          std::any_of(parts.begin(), parts.end(), [&c](Ref part) { return c.trained(part); }));
}

/// Of the data, along the channels, it is what concat does: nothing is differentiated.
void repeat(Converter& c) {
    const Ref source = c.tensor("self");
    const Whole repeats = c.integers("repeats");
    bool channels = repeats.size() == c.shape(source).size() && repeats.size() >= 2 && repeats[1] >= 1;
    for (std::size_t axis = 0; axis < repeats.size(); ++axis) {
        channels = channels && (axis == 1 || repeats[axis] == 1);
    }
    if (!channels || repeats[1] > 256) {
        return c.refuse("repeat along another axis than the channels");
    }
    if (c.trained(source)) {
        return c.refuse("repeat of what was computed with parameters");
    }
    if (repeats[1] == 1) {
        return c.copyOf(source, "repeat");
    }
    const int value = c.read(source);
    c.add({{"type", "concat"}}, std::vector<int>(static_cast<std::size_t>(repeats[1]), value), false);
}

}  // namespace highwater::stack::pytorch
