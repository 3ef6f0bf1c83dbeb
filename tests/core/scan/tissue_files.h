#pragma once

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "tests/core/scan/reader/nifti/builder.h"
#include "tests/core/scan/tissue.h"

/// The block of tissue as files, written according to each format's own description.
namespace highwater::test {

struct TypeCode {
    std::string_view name;
    std::int16_t nifti;
    std::int16_t bits;
    std::string_view nrrd, meta;
};
inline constexpr TypeCode kTypeCodes[] = {{"uint8", 2, 8, "uchar", "MET_UCHAR"},
                                          {"int8", 256, 8, "signed char", "MET_CHAR"},
                                          {"uint16", 512, 16, "unsigned short", "MET_USHORT"},
                                          {"int16", 4, 16, "short", "MET_SHORT"},
                                          {"uint32", 768, 32, "uint32_t", "MET_UINT"},
                                          {"int32", 8, 32, "int", "MET_INT"},
                                          {"uint64", 1280, 64, "unsigned long long int", "MET_ULONG_LONG"},
                                          {"int64", 1024, 64, "int64", "MET_LONG_LONG"},
                                          {"float32", 16, 32, "float", "MET_FLOAT"},
                                          {"float64", 64, 64, "double", "MET_DOUBLE"}};

inline const TypeCode& codeOf(std::string_view type) {
    for (const TypeCode& code : kTypeCodes) {
        if (code.name == type) {
            return code;
        }
    }
    throw std::runtime_error("no such type");
}

enum class Form { Sform, Qform, Both };

/// The quaternion (b, c, d) of a rotation by right angles: the one whose matrix (nifti1.h, method 2) is the
/// block's, with the third axis reversed if the block is a mirror image.
inline std::array<float, 3> quaternionOf(const Block& block, double handed) {
    const double choices[] = {0, 0.5, -0.5, std::sqrt(0.5), -std::sqrt(0.5), 1};
    for (double b : choices) {
        for (double c : choices) {
            for (double d : choices) {
                const double a = std::sqrt(std::max(0.0, 1 - b * b - c * c - d * d));
                const double columns[3][3] = {
                    {a * a + b * b - c * c - d * d, 2 * b * c + 2 * a * d, 2 * b * d - 2 * a * c},
                    {2 * b * c - 2 * a * d, a * a + c * c - b * b - d * d, 2 * c * d + 2 * a * b},
                    {2 * b * d + 2 * a * c, 2 * c * d - 2 * a * b, a * a + d * d - c * c - b * b}};
                double apart = std::abs(a * a + b * b + c * c + d * d - 1);
                for (std::size_t axis = 0; axis < 3; ++axis) {
                    for (std::size_t w = 0; w < 3; ++w) {
                        apart += std::abs(columns[axis][w] - block.step(axis, w) * (axis == 2 ? handed : 1));
                    }
                }
                if (apart < 1e-6) {
                    return {static_cast<float>(b), static_cast<float>(c), static_cast<float>(d)};
                }
            }
        }
    }
    throw std::runtime_error("no such turn");
}

inline int determinantOf(const Block& block) {
    const auto m = [&](std::size_t axis, std::size_t w) { return block.step(axis, w); };
    return m(0, 0) * (m(1, 1) * m(2, 2) - m(1, 2) * m(2, 1)) -
           m(0, 1) * (m(1, 0) * m(2, 2) - m(1, 2) * m(2, 0)) +
           m(0, 2) * (m(1, 0) * m(2, 1) - m(1, 1) * m(2, 0));
}

inline Nifti niftiOf(const Block& block, std::string_view type, bool swapped, Form form) {
    Nifti n;
    n.swapped = swapped;
    n.datatype = codeOf(type).nifti;
    n.bitpix = codeOf(type).bits;
    n.sform = form == Form::Qform ? 0 : 1;
    n.qform = form == Form::Sform ? 0 : 1;
    n.rows = {};
    const auto origin = block.origin();
    for (std::size_t axis = 0; axis < 3; ++axis) {
        n.dim[axis + 1] = static_cast<std::int16_t>(block.size(axis));
        n.pixdim[axis + 1] = static_cast<float>(block.spacing(axis));
        for (std::size_t w = 0; w < 3 && n.sform != 0; ++w) {
            n.rows[w][axis] = static_cast<float>(block.step(axis, w) * block.spacing(axis));
        }
        n.rows[axis][3] = n.sform != 0 ? static_cast<float>(origin[axis]) : 0;
        n.qoffset[axis] = n.qform != 0 ? static_cast<float>(origin[axis]) : 0;
    }
    if (n.qform != 0) {
        n.pixdim[0] = static_cast<float>(determinantOf(block));
        n.quaternion = quaternionOf(block, determinantOf(block));
    }
    return n;
}

inline std::string niftiTissue(const Block& block, std::string_view type, bool swapped, Form form) {
    return beginning(niftiOf(block, type, swapped, form)) + stored(block.values(), type, swapped);
}

/// A NRRD header's lines up to the empty one; `space` is one of the three that name the patient's sides.
inline std::string nrrdHeader(const Block& block, std::string_view type, bool swapped,
                              std::string_view space = "left-posterior-superior",
                              std::string_view encoding = "raw") {
    const int x = space[0] == 'l' || space[0] == 'L' ? -1 : 1;
    const int y = space == "LPS" || space.find("posterior") != std::string_view::npos ? -1 : 1;
    const auto vector = [&](auto component) {
        return fmt::format("({},{},{})", component(0) * x, component(1) * y, component(2));
    };
    std::string directions;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        directions += " " + vector([&](std::size_t w) { return block.step(axis, w) * block.spacing(axis); });
    }
    const auto origin = block.origin();
    return fmt::format(
        "NRRD0004\n# a comment\ntype: {}\ndimension: 3\nspace: {}\nsizes: {} {} {}\nspace directions:{}\n"
        "kinds: domain domain domain\nendian: {}\nencoding: {}\nspace origin: {}\nkey:=value: with a colon\n",
        codeOf(type).nrrd, space, block.size(0), block.size(1), block.size(2), directions,
        swapped ? "big" : "little", encoding, vector([&](std::size_t w) { return origin[w]; }));
}

/// A MetaImage header's lines up to ElementDataFile.
inline std::string metaHeader(const Block& block, std::string_view type, bool swapped) {
    std::string matrix, spacing, sizes;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        for (std::size_t w = 0; w < 3; ++w) {
            matrix += fmt::format(" {}", block.step(axis, w) * (w < 2 ? -1 : 1));
        }
        spacing += fmt::format(" {}", block.spacing(axis));
        sizes += fmt::format(" {}", block.size(axis));
    }
    const auto origin = block.origin();
    return fmt::format(
        "ObjectType = Image\nNDims = 3\nBinaryData = True\nElementByteOrderMSB = {}\nTransformMatrix ={}\n"
        "Offset = {} {} {}\nElementSpacing ={}\nDimSize ={}\nElementType = {}\n",
        swapped ? "True" : "False", matrix, -origin[0], -origin[1], origin[2], spacing, sizes,
        codeOf(type).meta);
}

inline std::string nrrdTissue(const Block& block, std::string_view type, bool swapped,
                              std::string_view space = "left-posterior-superior") {
    return nrrdHeader(block, type, swapped, space) + "\n" + stored(block.values(), type, swapped);
}

inline std::string metaTissue(const Block& block, std::string_view type, bool swapped) {
    return metaHeader(block, type, swapped) + "ElementDataFile = LOCAL\n" +
           stored(block.values(), type, swapped);
}

/// The block as it is in the patient, except for R to L: used by most tests of other aspects.
inline Block someBlock() {
    return allBlocks()[19];
}

/// The text with `from`, which must occur, replaced.
inline std::string replaced(std::string text, std::string_view from, std::string_view to) {
    const auto at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

/// The voxels of someBlock() as int16.
inline std::string someVoxels() {
    return stored(someBlock().values(), "int16", false);
}

}  // namespace highwater::test
