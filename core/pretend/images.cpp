#include "core/pretend/images.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace highwater::pretend {
namespace {

constexpr std::uint32_t kRegisteredMagic = 0x466243b1;
constexpr std::uint32_t kBinaryMagic = 0xba55ed50;
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 32;
// Offsets in an entry's header.
constexpr std::size_t kArchitectureAt = 28, kFlagsAt = 40;
constexpr std::uint16_t kCompiled = 2;
constexpr std::uint64_t kThisAlone = 0x100000;

struct Registered {
    std::uint32_t magic;
    std::uint32_t version;
    const unsigned char* data;
    const void* file;
};
struct BinaryHeader {
    std::uint32_t magic;
    std::uint16_t version;
    std::uint16_t headerBytes;
    std::uint64_t bytes;  // without this header
};
struct EntryHeader {
    std::uint16_t kind;
    std::uint16_t version;
    std::uint32_t headerBytes;
    std::uint64_t bytes;  // without this header
};

template <typename Value>
Value read(const unsigned char* at) {
    Value value;
    std::memcpy(&value, at, sizeof value);
    return value;
}

}  // namespace

std::vector<Image> imagesOf(const void* registered) {
    if (!registered) {
        return {};
    }
    const auto wrapper = read<Registered>(static_cast<const unsigned char*>(registered));
    if (wrapper.magic != kRegisteredMagic || !wrapper.data) {
        return {};
    }
    const auto header = read<BinaryHeader>(wrapper.data);
    if (header.magic != kBinaryMagic || header.bytes > kMostBytes) {
        return {};
    }
    std::vector<Image> images;
    const unsigned char* const entries = wrapper.data + header.headerBytes;
    for (std::uint64_t at = 0; at + kFlagsAt + sizeof(std::uint64_t) <= header.bytes;) {
        const auto entry = read<EntryHeader>(entries + at);
        images.push_back({static_cast<int>(read<std::uint32_t>(entries + at + kArchitectureAt)),
                          entry.kind == kCompiled,
                          (read<std::uint64_t>(entries + at + kFlagsAt) & kThisAlone) != 0});
        if (entry.headerBytes == 0 || entry.bytes > header.bytes) {
            return {};
        }
        at += entry.headerBytes + entry.bytes;
    }
    return images;
}

std::optional<int> architectureThatRuns(const std::vector<Image>& images, int capability) {
    if (images.empty()) {
        return capability;
    }
    int own = 0;
    int later = 0;
    for (const auto& [architecture, compiled, thisAlone] : images) {
        if (architecture > capability || (thisAlone && architecture != capability)) {
            continue;
        }
        if (!compiled) {
            later = std::max(later, architecture);
        } else if (architecture / 10 == capability / 10) {
            own = std::max(own, architecture);
        }
    }
    return own > 0 ? std::optional(own) : later > 0 ? std::optional(later) : std::nullopt;
}

}  // namespace highwater::pretend
