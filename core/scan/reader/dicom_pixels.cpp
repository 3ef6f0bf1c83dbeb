#include "core/scan/reader/dicom_pixels.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "core/base/text.h"
#include "core/scan/reader/dicom_values.h"

namespace highwater::scan::reader::dicom {
namespace {

using volume::VoxelType;

constexpr Tag kRows = 0x00280010, kColumns = 0x00280011, kFrames = 0x00280008, kSamples = 0x00280002;
constexpr Tag kPhotometric = 0x00280004, kAllocated = 0x00280100, kStored = 0x00280101;
constexpr Tag kHighBit = 0x00280102, kSigned = 0x00280103;
constexpr std::int64_t kMostSide = 65535;
constexpr std::int64_t kMostFrames = 1 << 24;
constexpr base::Bytes kMostFrame = 512 * base::kMiB;

int bitsOf(const OpenFile& file) {
    const Element* data = file.pixelData();
    const Tag tag = data ? data->tag : kPixelData;
    return tag == kFloatPixelData    ? 32
           : tag == kDoublePixelData ? 64
                                     : static_cast<int>(wholeOf(file.set(), kAllocated, "US").value_or(0));
}

bool isReal(const OpenFile& file) {
    const Element* data = file.pixelData();
    return data && data->tag != kPixelData;
}

base::Error noPixelData(const OpenFile& file) {
    if (file.parsed.error) {
        return *file.parsed.error;
    }
    return {file.set().find(kRows) ? "truncated: it ends before its pixel data" : "holds no picture"};
}

VoxelType typeOf(const Pixels& pixels, bool real) {
    if (real) {
        return pixels.allocated == 32 ? VoxelType::F32 : VoxelType::F64;
    }
    if (pixels.allocated <= 8) {
        return pixels.isSigned ? VoxelType::I8 : VoxelType::U8;
    }
    if (pixels.allocated == 16) {
        return pixels.isSigned ? VoxelType::I16 : VoxelType::U16;
    }
    return pixels.isSigned ? VoxelType::I32 : VoxelType::U32;
}

base::Status readSizes(const DataSet& set, Pixels& pixels) {
    const auto columns = wholeOf(set, kColumns, "US"), rows = wholeOf(set, kRows, "US");
    if (!columns || !rows || *columns < 1 || *rows < 1 || *columns > kMostSide || *rows > kMostSide) {
        return base::Error{"damaged: the header gives no number of columns and rows from 1 to 65535"};
    }
    pixels.columns = *columns;
    pixels.rows = *rows;
    pixels.frames = set.find(kFrames) ? wholeOf(set, kFrames, "IS").value_or(1) : 1;
    if (pixels.frames < 1 || pixels.frames > kMostFrames) {
        return base::Error{fmt::format("damaged: the header promises {} pictures", pixels.frames)};
    }
    return {};
}

base::Status readBits(const OpenFile& file, Pixels& pixels) {
    const DataSet& set = file.set();
    pixels.allocated = bitsOf(file);
    const auto stored = wholeOf(set, kStored, "US").value_or(pixels.allocated);
    const auto high = wholeOf(set, kHighBit, "US").value_or(stored - 1);
    const auto isSigned = wholeOf(set, kSigned, "US").value_or(0);
    if (isReal(file)) {
        pixels.stored = pixels.allocated;
        pixels.highBit = pixels.allocated - 1;
    } else if (stored < 1 || stored > pixels.allocated || high < stored - 1 || high >= pixels.allocated ||
               isSigned < 0 || isSigned > 1) {
        return base::Error{fmt::format("damaged: {} bits stored, high bit {}, in {} bits allocated", stored,
                                       high, pixels.allocated)};
    } else {
        pixels.stored = static_cast<int>(stored);
        pixels.highBit = static_cast<int>(high);
        pixels.isSigned = isSigned == 1;
    }
    pixels.type = typeOf(pixels, isReal(file));
    return {};
}

/// What there is must be able to hold what is promised.
base::Status checkRoom(const OpenFile& file, const Pixels& pixels) {
    const std::int64_t frame = pixels.columns * pixels.rows;  // at most 2^32
    if (pixels.frameBytes() > kMostFrame) {
        return base::Error{fmt::format("a picture of {} × {} is larger than Highwater reads ({})",
                                       pixels.columns, pixels.rows, base::formatBytes(kMostFrame))};
    }
    const auto all = static_cast<std::int64_t>(file.mapping.bytes().size());
    if (file.syntax.compressed()) {
        const std::int64_t most = mostUnfolded(all) / pixels.frameBytes();
        if (pixels.frames > std::max<std::int64_t>(most, 1)) {
            return base::Error{
                fmt::format("damaged: the header promises {} pictures of {} × {} in a file of {}",
                            pixels.frames, pixels.columns, pixels.rows, base::formatBytes(all))};
        }
        return {};
    }
    const std::int64_t bytes = (frame * pixels.frames * pixels.allocated + 7) / 8;
    const auto there = static_cast<std::int64_t>(file.pixelData()->value.size());
    if (there < bytes) {
        return base::Error{
            fmt::format("truncated: the header promises {} bytes of voxels, the file has {}", bytes, there)};
    }
    return {};
}

template <class Word>
void keepBits(const Pixels& pixels, std::span<std::byte> samples) {
    using Signed = std::make_signed_t<Word>;
    constexpr int kBits = static_cast<int>(sizeof(Word)) * 8;
    const int up = kBits - 1 - pixels.highBit;
    const int down = kBits - pixels.stored;
    for (std::size_t at = 0; at + sizeof(Word) <= samples.size(); at += sizeof(Word)) {
        Word value;
        std::memcpy(&value, samples.data() + at, sizeof(Word));
        value = static_cast<Word>(value << up);
        value = pixels.isSigned ? static_cast<Word>(static_cast<Signed>(value) >> down)
                                : static_cast<Word>(value >> down);
        std::memcpy(samples.data() + at, &value, sizeof(Word));
    }
}

void reverseEach(std::span<std::byte> samples, std::size_t step) {
    for (std::size_t at = 0; at + step <= samples.size(); at += step) {
        std::reverse(samples.data() + at, samples.data() + at + step);
    }
}

std::vector<std::byte> unpackedBits(Bytes packed, std::int64_t first, std::int64_t count) {
    std::vector<std::byte> out(static_cast<std::size_t>(count));
    for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t bit = first + i;
        out[static_cast<std::size_t>(i)] =
            packed[static_cast<std::size_t>(bit / 8)] >> static_cast<int>(bit % 8) & std::byte{1};
    }
    return out;
}

bool beginsFrame(Bytes fragment) {
    constexpr std::uint32_t kJp2Box = 0x0000000C;
    if (fragment.size() < 4) {
        return false;
    }
    const auto first = load16(fragment.data(), true);
    return first == 0xFFD8 || first == 0xFF4F || load32(fragment.data(), true) == kJp2Box;
}

/// Where each frame's fragments begin, from the offset table, else from how codestreams begin.
std::vector<std::size_t> frameStarts(const std::vector<Bytes>& fragments, std::int64_t frames) {
    std::vector<std::size_t> starts;
    const Bytes table = fragments.front();
    const bool hasTable = static_cast<std::int64_t>(table.size()) == frames * 4;
    std::uint64_t offset = 0;
    for (std::size_t i = 1; i < fragments.size(); ++i) {
        const bool listed = hasTable && starts.size() < static_cast<std::size_t>(frames) &&
                            load32(table.data() + starts.size() * 4, false) == offset;
        if (hasTable ? listed : beginsFrame(fragments[i])) {
            starts.push_back(i);
        }
        offset += 8 + fragments[i].size();
    }
    return starts;
}

}  // namespace

std::string unsupportedPixels(const OpenFile& file) {
    if (file.syntax.coding == Coding::None) {
        return fmt::format("stored as {}, which Highwater does not read; convert it to a lossless syntax",
                           file.syntax.name);
    }
    const auto samples = wholeOf(file.set(), kSamples, "US").value_or(1);
    const std::string photometric = textOf(file.set(), kPhotometric);
    if (samples == 3 || samples == 4) {
        return fmt::format("holds colour pictures ({}); Highwater reads one value a voxel", photometric);
    }
    if (photometric == "PALETTE COLOR") {
        return "holds pictures in palette colours; Highwater reads one value a voxel";
    }
    return {};
}

base::Result<Pixels> pixelsOf(const OpenFile& file) {
    Pixels out;
    if (!file.pixelData()) {
        return noPixelData(file);
    }
    if (auto status = readSizes(file.set(), out); !status) {
        return status.error();
    }
    const auto samples = wholeOf(file.set(), kSamples, "US").value_or(1);
    if (samples != 1) {
        return base::Error{fmt::format("damaged: {} values a pixel", samples)};
    }
    const int bits = bitsOf(file);
    const bool compressed = file.syntax.compressed();
    if (bits != 8 && bits != 16 && bits != 32 && !(bits == 64 && isReal(file)) &&
        !(bits == 1 && !compressed)) {
        return base::Error{fmt::format("{} bits a pixel; Highwater reads 1, 8, 16 and 32", bits)};
    }
    if (auto status = readBits(file, out); !status) {
        return status.error();
    }
    if (file.pixelData()->undefined != compressed) {
        return base::Error{fmt::format("damaged: the pixel data {} compressed, and its transfer syntax {}",
                                       compressed ? "is not" : "is", compressed ? "says so" : "is not")};
    }
    if (auto status = checkRoom(file, out); !status) {
        return status.error();
    }
    if (compressed) {
        if (const auto frames = framesOf(file, out); !frames) {
            return frames.error();
        }
    }
    out.monochrome1 = textOf(file.set(), kPhotometric) == "MONOCHROME1";
    return out;
}

base::Result<std::vector<std::vector<Bytes>>> framesOf(const OpenFile& file, const Pixels& pixels) {
    const auto fragments = fragmentsOf(*file.pixelData());
    if (!fragments) {
        return fragments.error();
    }
    const auto there = static_cast<std::int64_t>(fragments->size()) - 1;
    if (there < pixels.frames) {
        return base::Error{fmt::format("truncated: {} of {} compressed pictures are there",
                                       std::max<std::int64_t>(there, 0), pixels.frames)};
    }
    std::vector<std::size_t> starts{1};
    if (there == pixels.frames) {
        starts.resize(static_cast<std::size_t>(there));
        for (std::size_t i = 0; i < starts.size(); ++i) {
            starts[i] = i + 1;
        }
    } else if (pixels.frames > 1) {
        starts = frameStarts(*fragments, pixels.frames);
    }
    if (static_cast<std::int64_t>(starts.size()) != pixels.frames || starts.front() != 1) {
        return base::Error{fmt::format("damaged: {} compressed pieces cannot be told apart as {} pictures",
                                       there, pixels.frames)};
    }
    std::vector<std::vector<Bytes>> out;
    for (std::size_t i = 0; i < starts.size(); ++i) {
        const std::size_t end = i + 1 < starts.size() ? starts[i + 1] : fragments->size();
        out.emplace_back(fragments->begin() + static_cast<std::ptrdiff_t>(starts[i]),
                         fragments->begin() + static_cast<std::ptrdiff_t>(end));
    }
    return out;
}

void keepStoredBits(const Pixels& pixels, std::span<std::byte> samples) {
    if (pixels.stored == pixels.allocated || pixels.allocated == 1) {
        return;
    }
    if (pixels.allocated == 8) {
        keepBits<std::uint8_t>(pixels, samples);
    } else if (pixels.allocated == 16) {
        keepBits<std::uint16_t>(pixels, samples);
    } else if (pixels.allocated == 32) {
        keepBits<std::uint32_t>(pixels, samples);
    }
}

std::vector<std::byte> nativeFrame(const OpenFile& file, const Pixels& pixels, std::int64_t frame) {
    const Element& data = *file.pixelData();
    const std::int64_t count = pixels.columns * pixels.rows;
    if (pixels.allocated == 1) {
        return unpackedBits(data.value, frame * count, count);
    }
    const auto bytes = static_cast<std::size_t>(pixels.frameBytes());
    const auto begin = static_cast<std::size_t>(frame) * bytes;
    const bool swappedWords =
        file.syntax.pixelsBigEndian && pixels.allocated == 8 && data.vr == std::array<char, 2>{'O', 'W'};
    if (swappedWords) {  // bytes lie in big-endian words of two; a frame may begin within one
        std::vector<std::byte> out(bytes);
        for (std::size_t i = 0; i < bytes; ++i) {
            const std::size_t at = (begin + i) ^ 1;
            out[i] = at < data.value.size() ? data.value[at] : std::byte{0};
        }
        keepStoredBits(pixels, out);
        return out;
    }
    const Bytes source = data.value.subspan(begin, bytes);
    std::vector<std::byte> out(source.begin(), source.end());
    if (file.syntax.pixelsBigEndian) {
        reverseEach(out, static_cast<std::size_t>(pixels.allocated) / 8);
    }
    keepStoredBits(pixels, out);
    return out;
}

}  // namespace highwater::scan::reader::dicom
