#pragma once

#include <array>
#include <filesystem>
#include <string>

#include "core/base/file.h"
#include "tests/core/scan/reader/dicom/builder.h"
#include "tests/core/scan/reader/nifti/builder.h"

/// Folders of scans like those of users, created file by file.
namespace highwater::test {

using Size = std::array<std::int16_t, 3>;

/// Every voxel of volume v has the value `value` + v.
inline std::string niftiOf(const Size& size, std::int16_t value, std::int16_t volumes = 1) {
    Nifti n;
    n.dim = {static_cast<std::int16_t>(volumes > 1 ? 4 : 3), size[0], size[1], size[2], volumes, 1, 1, 1};
    n.rows = {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 2, 0}}};
    n.pixdim = {1, 1, 1, 2, 1, 1, 1, 1};
    const auto voxels = static_cast<std::size_t>(size[0]) * static_cast<std::size_t>(size[1]) *
                        static_cast<std::size_t>(size[2]);
    std::vector<std::int16_t> values;
    for (std::int16_t v = 0; v < volumes; ++v) {
        values.insert(values.end(), voxels, static_cast<std::int16_t>(value + v));
    }
    return niftiFile(n, values);
}

inline void write(const std::filesystem::path& path, const std::string& bytes) {
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << bytes;
}

/// Slices 2 mm apart, all voxels `value`; those in `without` are left out.
inline void writeSeries(const std::filesystem::path& folder, const std::string& uid, int number,
                        const std::string& description, std::int64_t value, int slices = 6,
                        int without = -1) {
    for (int i = 0; i < slices; ++i) {
        if (i == without) {
            continue;
        }
        Dicom d;
        d.seriesUid = uid;
        d.number = number;
        d.description = description;
        d.instance = i + 1;
        d.columns = 8;
        d.rows = 6;
        d.spacing = {1, 1};
        d.position = {0, 0, 2.0 * i};
        d.values = {value};
        write(folder / fmt::format("s{}_{:03}.dcm", number, i + 1), dicomFile(d));
    }
}

/// nnU-Net's layout: `cases` of two channels with labels; channel c of case i has the value 100 i + c, labels
/// are i modulo 2.
inline void writeCohort(const std::filesystem::path& folder, int cases, const Size& size = {12, 10, 8}) {
    for (int i = 0; i < cases; ++i) {
        const Size its{size[0], size[1], static_cast<std::int16_t>(size[2] + 2 * i)};
        for (int c = 0; c < 2; ++c) {
            write(folder / "imagesTr" / fmt::format("case_{}_{:04}.nii", i + 1, c),
                  niftiOf(its, static_cast<std::int16_t>(100 * (i + 1) + c)));
        }
        write(folder / "labelsTr" / fmt::format("case_{}.nii", i + 1),
              niftiOf(its, static_cast<std::int16_t>(i % 2)));
    }
}

}  // namespace highwater::test
