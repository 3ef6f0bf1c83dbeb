#include "core/scan/reader/raw/file.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

#include "core/base/file_kind.h"
#include "core/base/text.h"
#include "core/scan/reader/bytes/gzip.h"
#include "core/scan/reader/mgh/mgh.h"
#include "core/scan/reader/nifti/layout.h"
#include "core/scan/reader/raw/read.h"
#include "core/scan/reader/text/meta_header.h"
#include "core/scan/reader/text/nrrd_header.h"
#include "core/scan/reader/text/text_header.h"

namespace highwater::scan::reader {
namespace {

constexpr std::size_t kFirstBytes = 4096;

enum class Format { Nifti, Nrrd, Meta, Mgh };

std::string_view textOf(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::optional<Format> formatByContent(std::span<const std::byte> beginning) {
    return looksLikeNrrd(textOf(beginning))   ? std::optional(Format::Nrrd)
           : looksLikeNifti(beginning)        ? std::optional(Format::Nifti)
           : looksLikeMgh(beginning)          ? std::optional(Format::Mgh)
           : looksLikeMeta(textOf(beginning)) ? std::optional(Format::Meta)
                                              : std::nullopt;
}

std::optional<Format> formatByName(const std::string& path) {
    std::string lower = base::lowered(path);
    if (lower.ends_with(".gz")) {
        lower.resize(lower.size() - 3);
    }
    const auto ends = [&](auto... endings) { return (lower.ends_with(endings) || ...); };
    return ends(".nii", ".hdr")     ? std::optional(Format::Nifti)
           : ends(".nrrd", ".nhdr") ? std::optional(Format::Nrrd)
           : ends(".mha", ".mhd")   ? std::optional(Format::Meta)
           : ends(".mgh", ".mgz")   ? std::optional(Format::Mgh)
                                    : std::nullopt;
}

/// Opens a file that a header names. A link to outside the header's folder is refused, like a path to outside
/// it (dataFilePath): an untrusted header must not be able to name other files that its reader may read.
base::Result<Mapping> openBeside(const std::string& header, const std::string& other) {
    namespace fs = std::filesystem;
    auto file = HIGHWATER_TRY(Mapping::openFile(other));
    std::error_code error;
    const fs::path folder = fs::canonical(fs::absolute(header, error).parent_path(), error);
    const fs::path from = fs::canonical(other, error).lexically_relative(folder);
    if (error || from.empty() || *from.begin() == "..") {
        return base::Error{fmt::format(
            "{}: is a link to another folder; only a file in the header's folder or below is read", other)};
    }
    return file;
}

/// Returns the .hdr if `path` is the voxel file of a pair: it is named .img, has an .hdr with it, and is not
/// itself a NIfTI file.
std::optional<std::string> headerOfPair(const std::string& path, std::span<const std::byte> beginning) {
    auto other = pairedFile(path);
    if (!other || namedHdr(path) || !openBeside(path, *other)) {
        return std::nullopt;
    }
    const bool single = looksLikeNifti(beginning) && parseNiftiHeader(beginning, false).ok();
    return single ? std::nullopt : other;
}

/// The file with the voxels, checked against the header.
base::Result<RawFile> withData(const std::string& header, RawLayout layout, Mapping file) {
    const std::string other = layout.dataFile;
    if (!other.empty()) {
        auto opened = openBeside(header, other);
        if (!opened) {
            return base::Error{"its voxels are in another file, " + opened.error().message};
        }
        file = std::move(*opened);
    }
    if (auto status = checkData(layout, file); !status) {
        if (const std::string what = base::whatItIs(textOf(file.bytes())); base::isPointer(what)) {
            return other.empty() ? base::Error{what} : named(other, base::Error{what});
        }
        return other.empty() ? status.error() : named(other, status.error());
    }
    return RawFile{std::move(layout), std::move(file)};
}

base::Result<RawFile> openNrrd(const std::string& path, Mapping file) {
    const auto header = HIGHWATER_TRY(parseNrrdHeader(textOf(file.bytes())));
    auto layout = HIGHWATER_TRY(nrrdLayout(header, path));
    return withData(path, std::move(layout), std::move(file));
}

base::Result<RawFile> openMeta(const std::string& path, Mapping file) {
    const auto header = HIGHWATER_TRY(parseMetaHeader(textOf(file.bytes())));
    auto layout = HIGHWATER_TRY(metaLayout(header, path));
    return withData(path, std::move(layout), std::move(file));
}

/// The .img of a pair has no header. It counts as packed if it begins like gzip and is not exactly as long as
/// the header promises.
Packing packingOf(const RawLayout& layout, const Mapping& file) {
    const auto bytes = static_cast<base::Bytes>(file.bytes().size());
    return looksLikeGzip(file.bytes()) && bytes != layout.firstVoxel + layout.allBytes ? Packing::Gzip
                                                                                       : Packing::None;
}

base::Result<RawFile> openMgh(const std::string& path, Mapping file, std::vector<std::byte> beginning) {
    auto layout = HIGHWATER_TRY(mghLayout(beginning));
    if (looksLikeGzip(file.bytes())) {
        layout.packing = Packing::Gzip;
        beginning.resize(kMghHeaderBytes);
        layout.beginning = std::move(beginning);
        layout.header.format = "MGZ";
    }
    return withData(path, std::move(layout), std::move(file));
}

base::Result<RawFile> openNifti(const std::string& path, Mapping file, std::vector<std::byte> beginning,
                                bool hdr) {
    beginning.resize(std::min(beginning.size(), kNifti2HeaderBytes));
    const auto nifti = HIGHWATER_TRY(parseNiftiHeader(beginning, hdr));
    auto layout = HIGHWATER_TRY(niftiLayout(nifti));
    if (nifti.kind == NiftiHeader::Kind::Single) {
        if (looksLikeGzip(file.bytes())) {
            layout.packing = Packing::Gzip;
            layout.beginning = std::move(beginning);
        }
    } else {
        const auto img = pairedFile(path);
        if (!img) {
            return base::Error{
                "the header of a .hdr/.img pair, but not named .hdr; rename it, with its voxels beside it as "
                ".img"};
        }
        auto data = openBeside(path, *img);
        if (!data) {
            return base::Error{"its voxels are in another file, " + data.error().message};
        }
        layout.dataFile = *img;
        layout.packing = packingOf(layout, *data);
    }
    if (layout.packing == Packing::Gzip) {
        layout.header.format += " (gzip)";
    }
    return withData(path, std::move(layout), std::move(file));
}

/// Opens a pair given by its .img: the header is in the other file.
base::Result<RawFile> openByImg(const std::string& hdr) {
    auto file = HIGHWATER_TRY(Mapping::openFile(hdr));
    auto beginning = beginningOf(file);
    if (!beginning) {
        return named(hdr, beginning.error());
    }
    auto opened = openNifti(hdr, std::move(file), std::move(*beginning), true);
    return opened ? std::move(opened) : named(hdr, opened.error());
}

}  // namespace

base::Result<std::vector<std::byte>> beginningOf(const Mapping& file) {
    if (looksLikeGzip(file.bytes())) {
        return gzipBeginning(file.bytes(), kFirstBytes);
    }
    const auto bytes = file.bytes().first(std::min(file.bytes().size(), kFirstBytes));
    return std::vector<std::byte>(bytes.begin(), bytes.end());
}

std::string whatElseItIs(const Mapping& file, std::span<const std::byte> beginning) {
    const std::string what = base::whatItIs(textOf(beginning));
    return what.empty() || !looksLikeGzip(file.bytes()) ? what : "is compressed with gzip; inside it " + what;
}

bool looksLikeRaw(const std::string& path, std::span<const std::byte> beginning) {
    return headerOfPair(path, beginning) || formatByContent(beginning);
}

base::Result<RawFile> openRaw(const std::string& path, Mapping file, std::vector<std::byte> beginning) {
    if (const auto hdr = headerOfPair(path, beginning)) {
        return openByImg(*hdr);
    }
    const auto content = formatByContent(beginning);
    const auto format = content ? content : formatByName(path);
    const bool text = format == Format::Nrrd || format == Format::Meta;
    if (text && looksLikeGzip(file.bytes())) {
        return base::Error{"a whole NRRD or MetaImage file inside of gzip is not supported; unpack it first"};
    }
    const std::string what = content ? "" : whatElseItIs(file, beginning);
    const bool known = !what.empty() && !what.ends_with(" scan");  // that file is damaged
    if (!format || known) {
        constexpr std::string_view kRead =
            "a scan that Highwater reads: DICOM, NIfTI (.nii, .nii.gz, .hdr/.img), NRRD, MetaImage, "
            "FreeSurfer's "
            "MGH (.mgh, .mgz) or Analyze 7.5";
        return base::Error{!known                  ? fmt::format("not {}", kRead)
                           : base::isPointer(what) ? what
                                                   : fmt::format("{}, not {}", what, kRead)};
    }
    switch (*format) {
        case Format::Nrrd:
            return openNrrd(path, std::move(file));
        case Format::Meta:
            return openMeta(path, std::move(file));
        case Format::Mgh:
            return openMgh(path, std::move(file), std::move(beginning));
        case Format::Nifti:
            break;
    }
    return openNifti(path, std::move(file), std::move(beginning), namedHdr(path));
}

}  // namespace highwater::scan::reader
