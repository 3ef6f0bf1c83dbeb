#include "core/layers/upsample.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "core/layers/axis_size.h"
#include "core/layers/rules.h"

namespace highwater::stack {

using base::Error;
using base::Result;

namespace {

/// Returns the factor if it is a whole number, otherwise 0.
std::int64_t whole(double factor) {
    const double rounded = std::round(factor);
    return rounded >= 1 && rounded <= kMostScale && std::abs(factor - rounded) < 1e-9
               ? static_cast<std::int64_t>(rounded)
               : 0;
}

std::optional<Error> checkMode(const Upsample& op, int dims) {
    constexpr auto& names = About<Upsample>::modes;
    const auto mode = static_cast<int>(op.mode);
    if (op.mode != Upsample::Mode::Nearest && mode != dims) {
        return Error{fmt::format("mode {} is for {}d, the input is {}d; use {} or nearest",
                                 names[static_cast<std::size_t>(mode)], mode, dims,
                                 names[static_cast<std::size_t>(dims)])};
    }
    if (op.mode == Upsample::Mode::Nearest && op.alignCorners) {
        return Error{fmt::format("align_corners needs mode {}; nearest has none",
                                 names[static_cast<std::size_t>(dims)])};
    }
    return std::nullopt;
}

}  // namespace

Result<LayerRule> About<Upsample>::rule(const Upsample& op, const Shape& input, bool) {
    const int dims = dimsOf(input);
    if (auto error = checkMode(op, dims)) {
        return *error;
    }
    Shape output = {input[0], input[1]};
    if (!op.size.empty()) {
        const auto size = perAxis(op.size, dims, "size", 1, kMostSize);
        if (!size) {
            return size.error();
        }
        output.insert(output.end(), size->begin(), size->begin() + dims);
        return LayerRule{std::move(output), 0};
    }
    const std::size_t given = op.scaleFactor.size();
    if (given != 1 && given != static_cast<std::size_t>(dims)) {
        return Error{fmt::format("scale_factor has {} numbers for a {}d input; give one, or one an axis",
                                 given, dims)};
    }
    for (int axis = 0; axis < dims; ++axis) {
        const auto a = static_cast<std::size_t>(axis);
        const double scale = op.scaleFactor[given == 1 ? 0 : a];
        if (!(scale > 0 && scale <= kMostScale)) {
            return Error{
                fmt::format("scale_factor must be above 0 and at most {}, not {}", kMostScale, scale)};
        }
        const std::int64_t size = scaledSize(input[a + 2], scale);
        if (size == 0) {
            return Error{fmt::format("scale_factor {} leaves no output of an input of {} along {}", scale,
                                     input[a + 2], axisName(dims, axis))};
        }
        output.push_back(size);
    }
    return LayerRule{std::move(output), 0};
}

std::int64_t About<Upsample>::sizeAlong(const Upsample& op, std::int64_t size, int, std::size_t axis) {
    if (!op.size.empty()) {
        return along(op.size, axis);
    }
    return scaledSize(size, op.scaleFactor.size() == 1 ? op.scaleFactor[0] : op.scaleFactor[axis]);
}

AxisScale About<Upsample>::scaleAlong(const Upsample& op, std::size_t axis) {
    const std::size_t at = op.scaleFactor.size() == 1 ? 0 : axis;
    if (!op.size.empty() || at >= op.scaleFactor.size()) {
        return {};
    }
    const double factor = op.scaleFactor[at];
    if (const std::int64_t by = whole(factor)) {
        return {1, by};
    }
    const std::int64_t by = factor > 0 ? whole(1 / factor) : 0;
    return {std::max<std::int64_t>(by, 1), 1};
}

void About<Upsample>::words(const Upsample& op, Words& w) {
    const std::vector<double>& factors = op.scaleFactor;
    if (!op.size.empty()) {
        w.add("to " + (w.brief ? powerText(op.size, w.dims) : equalSizesText(op.size)));
    } else if (!factors.empty() && std::equal(factors.begin() + 1, factors.end(), factors.begin())) {
        w.add(fmt::format("× {}", factors.front()));
    } else {
        w.add(fmt::format("× {}", fmt::join(factors, w.brief ? " × " : ", ")));
    }
    w.add(std::string(wordOf(modes, op.mode)));
    w.addIf(!w.brief && op.alignCorners, "corners aligned");
}

python::Module About<Upsample>::module(const Upsample& op, const python::Place&) {
    python::Module made{"nn.Upsample"};
    if (!op.size.empty()) {
        made.add("size=" + (op.size.size() == 1 ? python::sizes(op.size) : python::tuple(op.size)));
    } else if (op.scaleFactor.size() == 1) {
        made.add("scale_factor=" + python::literal(op.scaleFactor.front()));
    } else {
        std::vector<std::string> factors;
        for (const double factor : op.scaleFactor) {
            factors.push_back(python::literal(factor));
        }
        made.add("scale_factor=" + python::tuple(factors));
    }
    made.add(fmt::format("mode=\"{}\"", wordOf(modes, op.mode)));
    return op.mode == Upsample::Mode::Nearest ? made
                                              : made.add("align_corners=" + python::literal(op.alignCorners));
}

}  // namespace highwater::stack
