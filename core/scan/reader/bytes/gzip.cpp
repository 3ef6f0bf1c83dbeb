#include "core/scan/reader/bytes/gzip.h"

#include <fmt/format.h>
#include <libdeflate.h>

#include <algorithm>
#include <memory>

namespace highwater::scan::reader {
namespace {

struct FreeDecompressor {
    void operator()(libdeflate_decompressor* d) const { libdeflate_free_decompressor(d); }
};
struct FreeCompressor {
    void operator()(libdeflate_compressor* c) const { libdeflate_free_compressor(c); }
};
using Decompressor = std::unique_ptr<libdeflate_decompressor, FreeDecompressor>;

// A stored block (65,535 bytes at most) is copied completely or not at all, and so is a match (258). With
// this much room the beginning is always written, even if the rest does not fit.
constexpr std::size_t kBeginning = 128 * 1024;

base::Error damaged(int member) {
    return {fmt::format("damaged or cut short: its compressed data does not pass gzip's own check (part {})",
                        member)};
}

struct Member {
    libdeflate_result result;
    std::size_t in = 0, out = 0;
};

Member inflateMember(libdeflate_decompressor* d, std::span<const std::byte> in, std::span<std::byte> out) {
    Member member{};
    member.result = libdeflate_gzip_decompress_ex(d, in.data(), in.size(), out.data(), out.size(), &member.in,
                                                  &member.out);
    return member;
}

bool allZero(std::span<const std::byte> bytes) {
    return std::all_of(bytes.begin(), bytes.end(), [](std::byte b) { return b == std::byte{0}; });
}

}  // namespace

bool looksLikeGzip(std::span<const std::byte> bytes) {
    // A truncated file may end after gzip's two magic bytes; otherwise the only existing method follows.
    return bytes.size() >= 2 && bytes[0] == std::byte{0x1f} && bytes[1] == std::byte{0x8b} &&
           (bytes.size() == 2 || bytes[2] == std::byte{8});
}

base::Bytes mostInflated(base::Bytes compressed) {
    const auto most = base::checkedMul(compressed, 1032);
    return most ? *most : std::numeric_limits<base::Bytes>::max();
}

base::Result<std::vector<std::byte>> gzipBeginning(std::span<const std::byte> compressed,
                                                   std::size_t wanted) {
    const Decompressor decompressor(libdeflate_alloc_decompressor());
    std::vector<std::byte> buffer(kBeginning);
    std::vector<std::byte> beginning;
    for (int part = 1; beginning.size() < wanted && looksLikeGzip(compressed); ++part) {
        const Member member = inflateMember(decompressor.get(), compressed, buffer);
        if (member.result == LIBDEFLATE_BAD_DATA) {
            return damaged(part);
        }
        const bool whole = member.result == LIBDEFLATE_SUCCESS;
        const std::size_t take = std::min(wanted - beginning.size(), whole ? member.out : wanted);
        beginning.insert(beginning.end(), buffer.begin(), buffer.begin() + static_cast<std::ptrdiff_t>(take));
        compressed = compressed.subspan(whole ? member.in : compressed.size());
    }
    return beginning;
}

base::Result<Inflated> inflateGzip(std::span<const std::byte> compressed, std::span<std::byte> out) {
    const Decompressor decompressor(libdeflate_alloc_decompressor());
    Inflated inflated;
    while (looksLikeGzip(compressed)) {
        const Member member = inflateMember(decompressor.get(), compressed,
                                            out.subspan(static_cast<std::size_t>(inflated.bytes)));
        if (member.result == LIBDEFLATE_INSUFFICIENT_SPACE) {
            inflated.full = true;
            return inflated;
        }
        if (member.result != LIBDEFLATE_SUCCESS) {
            return damaged(inflated.members + 1);
        }
        ++inflated.members;
        inflated.bytes += static_cast<base::Bytes>(member.out);
        compressed = compressed.subspan(member.in);
    }
    inflated.trailing = allZero(compressed) ? 0 : static_cast<base::Bytes>(compressed.size());
    return inflated;
}

base::Result<Inflated> inflateZlib(std::span<const std::byte> compressed, std::span<std::byte> out) {
    const Decompressor decompressor(libdeflate_alloc_decompressor());
    std::size_t in = 0, written = 0;
    const auto result = libdeflate_zlib_decompress_ex(
        decompressor.get(), compressed.data(), compressed.size(), out.data(), out.size(), &in, &written);
    Inflated inflated;
    if (result == LIBDEFLATE_INSUFFICIENT_SPACE) {
        inflated.full = true;
        return inflated;
    }
    if (result != LIBDEFLATE_SUCCESS) {
        return base::Error{"damaged or cut short: its compressed data does not pass zlib's own check"};
    }
    inflated.members = 1;
    inflated.bytes = static_cast<base::Bytes>(written);
    const auto rest = compressed.subspan(in);
    inflated.trailing = allZero(rest) ? 0 : static_cast<base::Bytes>(rest.size());
    return inflated;
}

base::Result<std::vector<std::byte>> deflateGzip(std::span<const std::byte> bytes, int level) {
    const std::unique_ptr<libdeflate_compressor, FreeCompressor> compressor(
        libdeflate_alloc_compressor(level));
    if (!compressor) {
        return base::Error{"the compression level must be 1 to 12"};
    }
    std::vector<std::byte> out(libdeflate_gzip_compress_bound(compressor.get(), bytes.size()));
    const std::size_t size =
        libdeflate_gzip_compress(compressor.get(), bytes.data(), bytes.size(), out.data(), out.size());
    if (size == 0) {
        return base::Error{"the data cannot be compressed"};
    }
    out.resize(size);
    return out;
}

}  // namespace highwater::scan::reader
