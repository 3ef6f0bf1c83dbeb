#include "core/scan/reader/dicom/frames.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace highwater::scan::reader::dicom {
namespace {

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

/// Returns where each frame's fragments begin: from the offset table, otherwise from the markers at the start
/// of codestreams.
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

base::Result<std::vector<std::vector<Bytes>>> framesOf(const OpenFile& file, const Pixels& pixels) {
    const auto fragments = HIGHWATER_TRY(fragmentsOf(*file.pixelData()));
    const auto there = static_cast<std::int64_t>(fragments.size()) - 1;
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
        starts = frameStarts(fragments, pixels.frames);
    }
    if (static_cast<std::int64_t>(starts.size()) != pixels.frames || starts.front() != 1) {
        return base::Error{fmt::format("damaged: {} compressed pieces cannot be divided into {} pictures",
                                       there, pixels.frames)};
    }
    std::vector<std::vector<Bytes>> out;
    for (std::size_t i = 0; i < starts.size(); ++i) {
        const std::size_t end = i + 1 < starts.size() ? starts[i + 1] : fragments.size();
        out.emplace_back(fragments.begin() + static_cast<std::ptrdiff_t>(starts[i]),
                         fragments.begin() + static_cast<std::ptrdiff_t>(end));
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
    if (swappedWords) {  // the bytes are in big-endian 16-bit words, and a frame may begin within a word
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
