#include "core/scan/reader/nifti/geometry.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/scan/reader/bytes/axes.h"

namespace highwater::scan::reader {
namespace {

constexpr std::string_view kAxes = "xyz";

/// Returns the millimeters per unit of length in the file.
double unitOf(const NiftiHeader& header) {
    if (header.kind == NiftiHeader::Kind::Analyze) {
        return 1;
    }
    switch (header.units & 7) {
        case 1:
            return 1000;
        case 3:
            return 0.001;
        default:
            return 1;
    }
}

base::Status checkFinite(const NiftiHeader& header) {
    const auto bad = [](double value) { return !(std::abs(value) <= kMostPosition); };
    for (std::size_t row = 0; header.sformCode > 0 && row < 3; ++row) {
        for (std::size_t column = 0; column < 4; ++column) {
            if (bad(header.sform[row][column])) {
                return base::Error{
                    fmt::format("damaged: the sform's srow_{}[{}] is {}, it must be a number of millimeters",
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

/// The columns of the sform.
Axes sformAxes(const NiftiHeader& header, double unit) {
    std::array<Vector, 3> steps{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        for (std::size_t row = 0; row < 3; ++row) {
            steps[axis][row] = header.sform[row][axis] * unit;
        }
    }
    return axesOf(steps);
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
        out.geometry.origin[axis] = header.qoffset[axis] * unit;
    }
}

/// Reads the spacing from pixdim; it is unknown if pixdim is not a valid length. A single slice needs none.
void readPixdim(const NiftiHeader& header, double unit, NiftiGeometry& out) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const double spacing = header.pixdim[axis + 1] * unit;
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
        const double pixdim = header.pixdim[axis + 1] * unit;
        const double spacing = out.geometry.spacing[axis];
        if (std::abs(pixdim - spacing) <= 1e-5 * spacing) {
            out.geometry.spacing[axis] = pixdim;  // the same as the sform's, but without rounding errors of
                                                  // its columns
        } else if (out.geometry.size[axis] > 1 && !(std::abs(pixdim - spacing) <= 1e-3 * spacing)) {
            out.warnings.push_back(
                fmt::format("the spacing along {} is {:.6g} mm in the sform and {:.6g} in pixdim; "
                            "the sform's is used",
                            kAxes[axis], spacing, pixdim));
        }
    }
}

/// Warns if the qform places the scan differently than the sform, which matters to programs that prefer the
/// qform: by how many millimeters, at the corner with the largest difference. Only for a tenth of a voxel or
/// more.
void compareWithQform(const NiftiHeader& header, double unit, NiftiGeometry& out) {
    NiftiGeometry other;
    other.geometry.size = out.geometry.size;
    readPixdim(header, unit, other);
    readQform(header, unit, other);
    if (!other.spacingKnown) {
        return;
    }
    double furthest = 0;
    for (int corner = 0; corner < 8; ++corner) {
        std::array<double, 3> ijk{};
        for (std::size_t axis = 0; axis < 3; ++axis) {
            ijk[axis] = (corner >> axis & 1) != 0 ? static_cast<double>(out.geometry.size[axis] - 1) : 0;
        }
        const auto p = out.geometry.toMillimeters(ijk), q = other.geometry.toMillimeters(ijk);
        furthest = std::max(furthest, std::hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]));
    }
    const auto& spacing = out.geometry.spacing;
    if (furthest > 0.1 * *std::min_element(spacing.begin(), spacing.end())) {
        out.warnings.push_back(
            fmt::format("its sform and qform differ: Highwater uses the sform, programs that use the qform "
                        "(ITK's do) place it up to {:.3g} mm elsewhere",
                        furthest));
    }
}

/// The meaning of Analyze's orient byte (ANALYZE 7.5's manual, Mayo Clinic): the patient axis of each voxel
/// axis, and its direction (R to L, P to A, I to S unless it is flipped).
struct Orient {
    std::string_view letters;  ///< as Geometry::orientation
    std::array<Vector, 3> direction;
};
constexpr Vector kLeft{-1, 0, 0}, kFront{0, 1, 0}, kBack{0, -1, 0}, kUp{0, 0, 1}, kDown{0, 0, -1};
constexpr Orient kOrients[] = {
    {"LAS", {kLeft, kFront, kUp}}, {"LSA", {kLeft, kUp, kFront}},   {"ASL", {kFront, kUp, kLeft}},
    {"LPS", {kLeft, kBack, kUp}},  {"LIA", {kLeft, kDown, kFront}}, {"AIL", {kFront, kDown, kLeft}},
};

void readOrient(const NiftiHeader& header, NiftiGeometry& out) {
    const bool known = header.orient < std::size(kOrients);
    const Orient& orient = kOrients[known ? header.orient : 0];
    out.geometry.direction = orient.direction;
    out.warnings.push_back(
        fmt::format("Analyze 7.5 does not tell left from right: read as {}, its usual convention; R, L, A, "
                    "P, S and I are a guess",
                    orient.letters));
    if (!known) {
        out.warnings.push_back(
            fmt::format("its orientation code is {}, it must be 0 to 5; read as 0", header.orient));
    }
}

}  // namespace

base::Result<NiftiGeometry> niftiGeometry(const NiftiHeader& header,
                                          const std::array<std::int64_t, 3>& size) {
    HIGHWATER_TRY(checkFinite(header));
    const double unit = unitOf(header);
    NiftiGeometry out;
    out.geometry.size = size;
    if (header.kind == NiftiHeader::Kind::Analyze) {
        readPixdim(header, unit, out);
        readOrient(header, out);
        return out;
    }
    const bool hasQform = header.qformCode > 0;
    if (header.sformCode > 0) {
        const Axes axes = sformAxes(header, unit);
        if (!axes.singular && !axes.sheared()) {
            out.geometry.direction = axes.direction;
            out.geometry.spacing = axes.spacing;
            for (std::size_t row = 0; row < 3; ++row) {
                out.geometry.origin[row] = header.sform[row][3] * unit;
            }
            if (axes.skewed()) {
                out.warnings.push_back(
                    fmt::format("the sform's axes are {:.2g} degrees off a right angle", axes.degrees()));
            }
            compareWithPixdim(header, unit, out);
            if (hasQform) {
                compareWithQform(header, unit, out);
            }
            return out;
        }
        const std::string problem =
            axes.singular
                ? std::string("the sform is singular (an axis has no length, or two are parallel)")
                : fmt::format("the sform is sheared by {:.1f} degrees (a tilted gantry?)", axes.degrees());
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
