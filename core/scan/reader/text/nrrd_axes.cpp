#include "core/scan/reader/text/nrrd_axes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "core/base/text.h"
#include "core/scan/reader/text/text_header.h"

namespace highwater::scan::reader {
namespace {

constexpr std::string_view kNrrdAxisNames = "xyz";

std::string_view kindOf(const NrrdHeader& header, std::size_t axis) {
    return header.kinds.empty() ? std::string_view() : header.kinds[axis];
}

/// Describes a kind that Highwater cannot show; empty for the others.
std::string_view unsupported(std::string_view kind) {
    const auto has = [&](std::string_view part) { return kind.find(part) != std::string_view::npos; };
    return has("color")        ? "colors"
           : has("complex")    ? "complex numbers"
           : has("matrix")     ? "matrices"
           : has("quaternion") ? "quaternions"
                               : "";
}

bool inSpace(const NrrdHeader& header, std::size_t axis) {
    if (!header.directions.empty()) {
        return header.directions[axis].has_value();
    }
    const auto kind = kindOf(header, axis);
    return kind.empty() || kind == "domain" || kind == "space" || kind == "???" || kind == "none";
}

/// The direction in RAS+ of a step along each axis of a named space.
struct Space {
    std::string_view name, letters;
    Vector toRas;
};
constexpr Space kSpaces[] = {{"right-anterior-superior", "ras", {1, 1, 1}},
                             {"left-anterior-superior", "las", {-1, 1, 1}},
                             {"left-posterior-superior", "lps", {-1, -1, 1}}};

const Space* findSpace(std::string_view name) {
    const auto found = std::find_if(std::begin(kSpaces), std::end(kSpaces), [&](const Space& one) {
        return one.name == name || one.letters == name;
    });
    return found == std::end(kSpaces) ? nullptr : found;
}

/// Returns the millimeters per unit; std::nullopt for an unknown unit.
std::optional<double> millimetersIn(std::string_view unit) {
    constexpr std::pair<std::string_view, double> kUnits[] = {
        {"mm", 1},     {"millimeter", 1},    {"cm", 10},        {"m", 1000},
        {"um", 0.001}, {"\xc2\xb5m", 0.001}, {"micron", 0.001}, {"microns", 0.001}};
    for (const auto& [name, millimeters] : kUnits) {
        if (unit == name) {
            return millimeters;
        }
    }
    return std::nullopt;
}

double unitOf(const std::vector<std::string>& units, std::size_t at, volume::Header& out) {
    if (at >= units.size() || units[at].empty() || units[at] == "???" || units[at] == "none") {
        return 1;
    }
    if (const auto known = millimetersIn(base::lowered(units[at]))) {
        return *known;
    }
    const std::string warning =
        fmt::format("its unit of length is \"{}\"; read as millimeters", base::oneLine(units[at], 40));
    if (std::find(out.warnings.begin(), out.warnings.end(), warning) == out.warnings.end()) {
        out.warnings.push_back(warning);
    }
    return 1;
}

base::Status placeByDirections(const NrrdHeader& header, const NrrdAxes& axes, const Vector& toRas,
                               volume::Header& out) {
    Vector scale{};
    for (std::size_t c = 0; c < 3; ++c) {
        scale[c] = toRas[c] * unitOf(header.spaceUnits, c, out);
    }
    std::array<Vector, 3> steps{};
    for (std::size_t axis = 0; axis < axes.space.size(); ++axis) {
        for (std::size_t c = 0; c < 3; ++c) {
            steps[axis][c] = (*header.directions[axes.space[axis]])[c] * scale[c];
        }
    }
    if (axes.space.size() == 2) {
        steps[2] = perpendicular(steps[0], steps[1]);
    } else if (axes.space.size() == 1) {
        return base::Error{"it has one axis in space; a scan has two or three"};
    }
    for (std::size_t c = 0; c < 3 && header.origin; ++c) {
        out.geometry.origin[c] = (*header.origin)[c] * scale[c];
    }
    return placeAxes(axesOf(steps), "the space directions", out);
}

void placeBySpacings(const NrrdHeader& header, const NrrdAxes& axes, const Vector& toRas,
                     volume::Header& out) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
        out.geometry.direction[axis] = {};
        out.geometry.direction[axis][axis] = toRas[axis];
        if (axis >= axes.space.size()) {
            continue;
        }
        const std::size_t at = axes.space[axis];
        const double stored = header.spacings.empty() ? std::nan("") : header.spacings[at];
        const double spacing = stored * unitOf(header.units, at, out);
        if (plausibleSpacing(spacing)) {
            out.geometry.spacing[axis] = spacing;
        } else if (out.geometry.size[axis] > 1) {
            out.spacingKnown = false;
            out.warnings.push_back(fmt::format(
                "the spacing along {} is unknown: {}; shown as if it were 1 mm", kNrrdAxisNames[axis],
                header.spacings.empty() ? "the header has no spacings"
                                        : "spacings has " + numberText(stored)));
        }
    }
}

}  // namespace

base::Result<NrrdAxes> nrrdAxes(const NrrdHeader& header) {
    NrrdAxes out;
    for (std::size_t axis = 0; axis < header.sizes.size(); ++axis) {
        if (inSpace(header, axis)) {
            out.space.push_back(axis);
        } else if (header.sizes[axis] == 1) {
            continue;
        } else if (const auto what = unsupported(kindOf(header, axis)); !what.empty()) {
            return base::Error{
                fmt::format("voxels that are {} are not supported; save them as int16 or float32", what)};
        } else if (out.volumes) {
            return base::Error{"it has two axes that are not in space; Highwater reads volumes along one"};
        } else {
            out.volumes = axis;
        }
    }
    if (out.space.size() == 4 && !out.volumes) {
        out.volumes = out.space.back();
        out.space.pop_back();
        out.guessed = true;
    }
    if (out.space.empty() || out.space.size() > 3) {
        return base::Error{fmt::format("it has {} axes in space; a scan has two or three", out.space.size())};
    }
    return out;
}

base::Status placeNrrd(const NrrdHeader& header, const NrrdAxes& axes, volume::Header& out) {
    const Space* space = findSpace(header.space);
    if (!space) {
        if (header.space.find("time") != std::string::npos || header.space.ends_with('t')) {
            return base::Error{
                fmt::format("the space {} is not supported; Highwater reads spaces without time",
                            base::oneLine(header.space, 60))};
        }
        out.warnings.push_back(fmt::format(
            "{}: R, L, A, P, S and I are a guess (left-posterior-superior)",
            header.space.empty()
                ? std::string("the header names no space")
                : fmt::format("the space {} names no side of the patient", base::oneLine(header.space, 60))));
    }
    const Vector& toRas = space ? space->toRas : kSpaces[2].toRas;
    if (!header.directions.empty()) {
        return placeByDirections(header, axes, toRas, out);
    }
    placeBySpacings(header, axes, toRas, out);
    if (space) {
        out.warnings.emplace_back("the header has no space directions: R, L, A, P, S and I are a guess");
    }
    return {};
}

}  // namespace highwater::scan::reader
