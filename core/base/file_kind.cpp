#include "core/base/file_kind.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>

#include "core/base/text.h"

namespace highwater::base {
namespace {

using std::string_view_literals::operator""sv;

struct Kind {
    std::size_t at;
    std::string_view bytes;
    std::string_view what;
};

constexpr std::string_view kDicom = "is a DICOM file", kSweep = "is a sweep of Highwater";

constexpr Kind kKinds[] = {
    {0, "version https://git-lfs.github.com/"sv,
     "is a pointer of Git LFS, not the file itself; run git lfs pull"sv},
    {0, "/annex/objects/"sv, "is a pointer of git-annex, not the file itself; run git annex get"sv},
    {128, "DICM"sv, kDicom},
    {344, "n+1\0"sv, "is a NIfTI scan"sv},
    {344, "ni1\0"sv, "is the header of a NIfTI scan"sv},
    {4, "n+2\0\r\n\x1a\n"sv, "is a NIfTI scan"sv},
    {0, "NRRD000"sv, "is an NRRD scan"sv},
    {0, "ObjectType = "sv, "is a MetaImage scan"sv},
    {0, "\x1f\x8b"sv, "is compressed with gzip"sv},
    {0, "PK\x03\x04"sv, "is a ZIP archive (torch.save and torch.export.save write such files too)"sv},
    {0, "\x80\x02"sv, "is a Python pickle"sv},
    {0, "\x80\x03"sv, "is a Python pickle"sv},
    {0, "\x80\x04"sv, "is a Python pickle"sv},
    {0, "\x80\x05"sv, "is a Python pickle"sv},
    {0, "\x93NUMPY"sv, "is a NumPy array"sv},
    {0, "\x89HDF\r\n\x1a\n"sv, "is an HDF5 file"sv},
    {0, "CDF\x01"sv, "is a NetCDF file (MINC 1)"sv},
    {0, "MATLAB 5.0 MAT-file"sv, "is a MATLAB file"sv},
    {0, "SQLite format 3\0"sv, "is an SQLite database"sv},
    {0, "\x89PNG\r\n\x1a\n"sv, "is a PNG picture"sv},
    {0, "\xFF\xD8\xFF"sv, "is a JPEG picture"sv},
    {0, "II*\0"sv, "is a TIFF picture"sv},
    {0, "MM\0*"sv, "is a TIFF picture"sv},
    {0, "GIF8"sv, "is a GIF picture"sv},
    {0, "%PDF-"sv, "is a PDF document"sv},
    {0, "# vtk DataFile"sv, "is a VTK file"sv},
    {0, "BZh"sv, "is compressed with bzip2"sv},
    {0,
     "\xFD"
     "7zXZ\0"sv,
     "is compressed with xz"sv},
    {0, "\x28\xB5\x2F\xFD"sv, "is compressed with zstd"sv},
    {0, "7z\xBC\xAF\x27\x1C"sv, "is a 7z archive"sv},
    {257, "ustar"sv, "is a tar archive"sv},
    {0,
     "\x7F"
     "ELF"sv,
     "is a program or library"sv},
};

/// Keys that tell one kind of JSON file from another.
constexpr Kind kJson[] = {
    {0, "\"highwater.sweep/"sv, kSweep},  // it may contain its experiment
    {0, "\"highwater.experiment/"sv, "is an experiment of Highwater"sv},
    {0, "\"traceEvents\""sv, "is a trace of PyTorch's profiler or of Chrome's format (JSON)"sv},
    {0, "\"deviceProperties\""sv, "is a trace of PyTorch's profiler (JSON)"sv},
    {0, "\"plans_name\""sv, "is a plans file of nnU-Net (JSON)"sv},
    {0, "\"channel_names\""sv, "is a dataset.json of nnU-Net"sv},
    {0, "\"tensorImageSize\""sv, "is a dataset.json of the Medical Segmentation Decathlon"sv},
    {0, "\"nbformat\""sv, "is a Jupyter notebook (JSON)"sv},
};

/// In lower case, without leading white space or a byte order mark.
std::string plainBeginning(std::string_view text) {
    if (text.starts_with("\xEF\xBB\xBF")) {
        text.remove_prefix(3);
    }
    text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
    return lowered(text.substr(0, 64));
}

}  // namespace

std::string whatItIs(std::string_view beginning) {
    beginning = beginning.substr(0, kKindBytes);
    for (const Kind& kind : kKinds) {
        if (beginning.size() >= kind.at && beginning.substr(kind.at).starts_with(kind.bytes)) {
            return std::string(kind.what);
        }
    }
    const std::string plain = plainBeginning(beginning);
    if (plain.starts_with("<!doctype html") || plain.starts_with("<html")) {
        return "is a web page, probably of a failed download";
    }
    if (plain.starts_with("<?xml")) {
        return "is an XML file";
    }
    if (!plain.starts_with("{") && !plain.starts_with("[")) {
        return {};
    }
    for (const Kind& kind : kJson) {
        if (beginning.find(kind.bytes) != std::string_view::npos) {
            return std::string(kind.what);
        }
    }
    return plain.starts_with("{\"") || plain.starts_with("{}") ||
                   beginning.find("\":") != std::string_view::npos
               ? "is JSON"
               : std::string();
}

std::string whatFileIs(const std::filesystem::path& file) {
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(file, ignored)) {
        return {};
    }
    std::array<char, kKindBytes> bytes{};
    std::ifstream stream(file, std::ios::binary);
    stream.read(bytes.data(), bytes.size());
    return whatItIs(std::string_view(bytes.data(), static_cast<std::size_t>(stream.gcount())));
}

bool isScan(std::string_view what) {
    return what == kDicom || what.ends_with(" scan");
}

bool isSweep(std::string_view what) {
    return what == kSweep;
}

bool isPointer(std::string_view what) {
    return what.starts_with("is a pointer ");
}

std::string wrongKind(const std::string& what, std::string_view needed) {
    return what.empty() || isPointer(what) ? what : fmt::format("{}; {} is needed", what, needed);
}

}  // namespace highwater::base
