#include "tests/fuzz/scan/seed_files.h"

#include <zlib.h>

#include <algorithm>
#include <filesystem>

#include "tests/core/scan/reader/mgh/builder.h"
#include "tests/core/scan/reader/nifti/builder2.h"
#include "tests/fuzz/scan/dicom_seeds.h"

namespace highwater::fuzz {
namespace {

using test::Nifti;

SeedFile whole(std::string format, std::string name, std::string bytes) {
    SeedFile seed{
        std::move(format), std::move(name), std::move(bytes), {}, {}, false, 0, Packing::None, 0, {}, {}};
    seed.needed = seed.bytes.size();
    return seed;
}

/// The whole file compressed with gzip.
SeedFile zipped(SeedFile seed) {
    seed.format += " (gzip)";
    seed.name += ".gz";
    seed.bytes = packed(seed.bytes, kGzipBits);
    seed.needed = seed.bytes.size();
    seed.packing = Packing::Gzip;
    return seed;
}

void addNifti(std::vector<SeedFile>& seeds) {
    Nifti plain, other, many;
    other.swapped = true;
    other.qform = 1;
    other.sform = 0;
    other.quaternion = {0.1F, 0.2F, 0.3F};
    many.dim = {4, 4, 3, 1, 2, 1, 1, 1};
    for (const Nifti& nifti : {plain, other, many}) {
        seeds.push_back(whole("NIfTI-1", "a.nii", niftiFile(nifti, test::counting())));
        seeds.push_back(zipped(seeds.back()));
    }
    seeds.push_back(whole("NIfTI-2", "a.nii", test::nifti2File(test::Nifti2{})));
    seeds.push_back(zipped(seeds.back()));
    for (const bool analyze : {false, true}) {
        Nifti pair;
        pair.magic = analyze ? std::string(4, '\0') : std::string("ni1\0", 4);
        pair.voxOffset = 0;
        if (analyze) {
            pair.sform = 0;
            pair.rows = {};
        }
        const std::string bytes = niftiFile(pair, test::counting());
        SeedFile seed = whole(analyze ? "Analyze 7.5" : "NIfTI-1 pair", "a.hdr", bytes.substr(0, 348));
        seed.companion = "a.img";
        seed.companionBytes = bytes.substr(352);
        seed.voxelsApart = true;
        seed.needed = seed.companionBytes.size();
        seeds.push_back(seed);
    }
}

void addMgh(std::vector<SeedFile>& seeds) {
    seeds.push_back(whole("MGH", "a.mgh", mghFile(test::Mgh{}, test::counting())));
    seeds.push_back(zipped(seeds.back()));
    seeds.back().format = "MGZ";
    seeds.back().name = "a.mgz";
}

/// 24 int16 voxels, little endian.
std::string voxels() {
    std::string bytes;
    for (const std::int16_t value : test::counting()) {
        bytes.push_back(static_cast<char>(value & 0xff));
        bytes.push_back(static_cast<char>(value >> 8));
    }
    return bytes;
}

/// Voxels after a text header, in the same file or another one, compressed or not.
void addText(std::vector<SeedFile>& seeds, const std::string& format, const std::string& header,
             const std::string& ending, const std::string& apartEnding, const std::string& apartWord,
             const std::string& hereWord, int windowBits) {
    const bool zip = windowBits != 0;
    const std::string data = zip ? packed(voxels(), windowBits) : voxels();
    const std::string name = zip ? format + " (packed)" : format;
    SeedFile here = whole(name, "a." + ending, header + hereWord + data);
    SeedFile apart = whole(name + " (two files)", "a." + apartEnding, header + apartWord);
    apart.companion = "a.raw";
    apart.companionBytes = data;
    apart.voxelsApart = true;
    apart.needed = data.size();
    for (SeedFile* const seed : {&here, &apart}) {
        if (zip) {
            seed->packing = windowBits == kGzipBits ? Packing::Gzip : Packing::Zlib;
            seed->packedFrom = seed->voxelFile().size() - data.size();
        }
    }
    seeds.push_back(here);
    seeds.push_back(apart);
}

void addNrrd(std::vector<SeedFile>& seeds) {
    for (const bool zip : {false, true}) {
        const std::string header = std::string("NRRD0004\ntype: short\ndimension: 3\n") +
                                   "space: left-posterior-superior\nsizes: 4 3 2\n"
                                   "space directions: (2,0,0) (0,3,0) (0,0,4)\nendian: little\nencoding: " +
                                   (zip ? "gzip" : "raw") + "\nspace origin: (-10,-20,-30)\n";
        addText(seeds, "NRRD", header, "nrrd", "nhdr", "data file: a.raw\n", "\n", zip ? kGzipBits : 0);
    }
}

void addMeta(std::vector<SeedFile>& seeds) {
    for (const bool zip : {false, true}) {
        const std::string size =
            zip ? "CompressedDataSize = " + std::to_string(packed(voxels(), kZlibBits).size()) + "\n" : "";
        const std::string header =
            std::string("ObjectType = Image\nNDims = 3\nBinaryData = True\n") +
            "BinaryDataByteOrderMSB = False\nCompressedData = " + (zip ? "True\n" : "False\n") + size +
            "TransformMatrix = 1 0 0 0 1 0 0 0 1\nOffset = -10 -20 -30\n"
            "ElementSpacing = 2 3 4\nDimSize = 4 3 2\nElementType = MET_SHORT\n"
            "ElementDataFile = ";
        addText(seeds, "MetaImage", header, "mha", "mhd", "a.raw\n", "LOCAL\n", zip ? kZlibBits : 0);
    }
}

}  // namespace

std::string packed(const std::string& bytes, int windowBits) {
    z_stream stream{};
    deflateInit2(&stream, 6, Z_DEFLATED, windowBits, 8, Z_DEFAULT_STRATEGY);
    std::string out(deflateBound(&stream, bytes.size()) + 64, '\0');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream.avail_in = static_cast<uInt>(bytes.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    deflate(&stream, Z_FINISH);
    out.resize(stream.total_out);
    deflateEnd(&stream);
    return out;
}

std::vector<SeedFile> madeSeeds() {
    std::vector<SeedFile> seeds;
    addNifti(seeds);
    addMgh(seeds);
    addNrrd(seeds);
    addMeta(seeds);
    addDicom(seeds);
    return seeds;
}

std::vector<SeedFile> realSeeds(std::size_t most) {
    std::vector<SeedFile> seeds;
    const auto folder = test::scansFolder();
    if (folder.empty()) {
        return seeds;
    }
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
        if (entry.is_regular_file() && entry.file_size() <= most) {
            files.push_back(entry.path());
        }
    }
    std::sort(files.begin(), files.end());
    for (const auto& file : files) {
        const std::string name = file.filename().string();
        // A few files of a long series are enough.
        const bool slice = file.parent_path().filename() == "sag-anon-dicom";
        if (slice && name != "0065.dcm" && name != "0066.dcm") {
            continue;
        }
        const bool dicom = name.ends_with(".dcm");
        if (!dicom && !name.ends_with(".nii")) {
            continue;
        }
        SeedFile seed = whole(dicom ? "DICOM, real" : "NIfTI-1, real", name, test::slurp(file));
        // How much malformed files need, and what pads the end of a DICOM file, is not known here.
        if (file.parent_path().filename() == "malformed" || dicom) {
            seed.needed = 0;
        }
        seeds.push_back(seed);
    }
    return seeds;
}

bool zlibAccepts(const SeedFile& file) {
    const std::string& bytes = file.voxelFile();
    if (bytes.size() <= file.packedFrom) {
        return false;
    }
    z_stream stream{};
    if (inflateInit2(&stream, file.packing == Packing::Gzip ? kGzipBits : kZlibBits) != Z_OK) {
        return false;
    }
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data() + file.packedFrom));
    stream.avail_in = static_cast<uInt>(bytes.size() - file.packedFrom);
    std::string out(1 << 16, '\0');
    int state = Z_OK;
    while (state == Z_OK) {
        stream.next_out = reinterpret_cast<Bytef*>(out.data());
        stream.avail_out = static_cast<uInt>(out.size());
        state = inflate(&stream, Z_NO_FLUSH);
    }
    inflateEnd(&stream);
    return state == Z_STREAM_END;
}

}  // namespace highwater::fuzz
