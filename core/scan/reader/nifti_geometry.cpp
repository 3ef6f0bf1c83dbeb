#include "core/scan/reader/nifti_geometry.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace highwater::scan::reader {
namespace {

using Vector = std::array<double, 3>;

constexpr double kLeastSpacing = 1e-6;  // mm; less, or more than the next, is no scan
constexpr double kMostSpacing = 1e6;
constexpr double kMostPosition = 1e9;
constexpr double kRightAngle = 1e-4;  // cosine between axes: rounding in float32 stays far below
constexpr double kSheared = 0.02;     // 1.15 degrees: more is a tilt, less is careless arithmetic
constexpr std::string_view kAxes = "xyz";

/// The number that was meant: 0.9f as 0.9, not as 0.8999999762.
double decimal(float value) {
    char text[32];
    const auto end = std::to_chars(text, text + sizeof(text), value).ptr;
    double meant = value;
    std::from_chars(text, end, meant);
    return meant;
}

double dot(const Vector& a, const Vector& b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/// Millimetres in the file's unit of length.
double unitOf(const NiftiHeader& header) {
    switch (header.units & 7) {
        case 1:
            return 1000;
        case 3:
            return 0.001;
        default:
            return 1;
    }
}

bool plausibleSpacing(double spacing) {
    return std::isfinite(spacing) && spacing >= kLeastSpacing && spacing <= kMostSpacing;
}

base::Status checkFinite(const NiftiHeader& header) {
    const auto bad = [](float value) { return !(std::abs(value) <= kMostPosition); };
    for (std::size_t row = 0; header.sformCode > 0 && row < 3; ++row) {
        for (std::size_t column = 0; column < 4; ++column) {
            if (bad(header.sform[row][column])) {
                return base::Error{
                    fmt::format("damaged: the sform's srow_{}[{}] is {}, it must be a number of millimetres",
                                kAxes[row], column, numberText(header.sform[row][column]))};
            }
        }
    }
    for (std::size_t c = 0; header.qformCode > 0 && c < 3; ++c) {
        if (bad(header.quaternion[c]) || bad(header.qoffset[c])) {
            return base::Error{"damaged: the qform has values that are not numbers"};
        }
    }
    return {};
}

/// The columns of the sform as unit vectors, their lengths, and the cosine that is furthest from a right
/// angle.
struct Sform {
    bool singular = false;
    double shear = 0;
    volume::Geometry geometry;
};

Sform readSform(const NiftiHeader& header, double unit) {
    Sform out;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        Vector column{};
        for (std::size_t row = 0; row < 3; ++row) {
            column[row] = static_cast<double>(header.sform[row][axis]) * unit;
        }
        const double length = std::sqrt(dot(column, column));
        out.singular = out.singular || !plausibleSpacing(length);
        out.geometry.spacing[axis] = length;
        for (std::size_t row = 0; row < 3; ++row) {
            out.geometry.direction[axis][row] = length > 0 ? column[row] / length : 0;
        }
        out.geometry.origin[axis] = static_cast<double>(header.sform[axis][3]) * unit;
    }
    const auto& d = out.geometry.direction;
    out.shear = std::max({std::abs(dot(d[0], d[1])), std::abs(dot(d[1], d[2])), std::abs(dot(d[0], d[2]))});
    out.singular = out.singular || out.shear > 0.999;
    return out;
}

void readQform(const NiftiHeader& header, double unit, NiftiGeometry& out) {
    double b = header.quaternion[0], c = header.quaternion[1], d = header.quaternion[2];
    const double sum = b * b + c * c + d * d;
    double a = 0;
    if (1 - sum < 1e-7) {
        const double scale = 1 / std::sqrt(sum);
        b *= scale, c *= scale, d *= scale;
        if (sum > 1.001) {
            out.warnings.emplace_back("the qform's quaternion is longer than 1; it is read as if it were 1");
        }
    } else {
        a = std::sqrt(1 - sum);
    }
    const double handed = header.pixdim[0] < 0 ? -1 : 1;
    auto& direction = out.geometry.direction;
    direction[0] = {a * a + b * b - c * c - d * d, 2 * (b * c + a * d), 2 * (b * d - a * c)};
    direction[1] = {2 * (b * c - a * d), a * a + c * c - b * b - d * d, 2 * (c * d + a * b)};
    direction[2] = {2 * (b * d + a * c) * handed, 2 * (c * d - a * b) * handed,
                    (a * a + d * d - b * b - c * c) * handed};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        out.geometry.origin[axis] = static_cast<double>(header.qoffset[axis]) * unit;
    }
}

/// Spacing from pixdim; unknown where it is no length. A single slice needs none.
void readPixdim(const NiftiHeader& header, double unit, NiftiGeometry& out) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const double spacing = decimal(header.pixdim[axis + 1]) * unit;
        if (plausibleSpacing(spacing)) {
            out.geometry.spacing[axis] = spacing;
        } else if (out.geometry.size[axis] > 1) {
            out.spacingKnown = false;
            out.warnings.push_back(
                fmt::format("the spacing along {} is unknown: pixdim[{}] is {}; shown as if it were 1 mm",
                            kAxes[axis], axis + 1, numberText(header.pixdim[axis + 1])));
        }
    }
}

void compareWithPixdim(const NiftiHeader& header, double unit, NiftiGeometry& out) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const double pixdim = decimal(header.pixdim[axis + 1]) * unit;
        const double spacing = out.geometry.spacing[axis];
        if (std::abs(pixdim - spacing) <= 1e-5 * spacing) {
            out.geometry.spacing[axis] = pixdim;  // the same, without the rounding of the sform's columns
        } else if (out.geometry.size[axis] > 1 && !(std::abs(pixdim - spacing) <= 1e-3 * spacing)) {
            out.warnings.push_back(
                fmt::format("the spacing along {} is {:.6g} mm in the sform and {:.6g} in pixdim; "
                            "the sform's is used",
                            kAxes[axis], spacing, pixdim));
        }
    }
}

double degrees(double cosine) {
    return std::asin(std::min(cosine, 1.0)) * 180 / 3.14159265358979323846;
}

}  // namespace

base::Result<NiftiGeometry> niftiGeometry(const NiftiHeader& header,
                                          const std::array<std::int64_t, 3>& size) {
    if (auto status = checkFinite(header); !status) {
        return status.error();
    }
    const double unit = unitOf(header);
    NiftiGeometry out;
    out.geometry.size = size;
    const bool hasQform = header.qformCode > 0;
    if (header.sformCode > 0) {
        Sform sform = readSform(header, unit);
        const bool usable = !sform.singular && sform.shear <= kSheared;
        if (usable) {
            sform.geometry.size = size;
            out.geometry = sform.geometry;
            if (sform.shear > kRightAngle) {
                out.warnings.push_back(fmt::format("the sform's axes are {:.2g} degrees off a right angle",
                                                   degrees(sform.shear)));
            }
            compareWithPixdim(header, unit, out);
            return out;
        }
        const std::string problem =
            sform.singular ? std::string("the sform is singular (an axis has no length, or two are parallel)")
                           : fmt::format("the sform is sheared by {:.1f} degrees (a tilted gantry?)",
                                         degrees(sform.shear));
        if (!hasQform) {
            return base::Error{problem + " and there is no qform; resample it to right angles first"};
        }
        out.warnings.push_back(problem + "; read with the qform instead");
    }
    readPixdim(header, unit, out);
    if (hasQform) {
        readQform(header, unit, out);
    } else {
        out.warnings.emplace_back("the file has neither sform nor qform: R, L, A, P, S and I are a guess");
    }
    return out;
}

}  // namespace highwater::scan::reader
