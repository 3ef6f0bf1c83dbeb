#include "core/pretend/images.h"

#include <cstdint>
#include <cstring>

namespace highwater::pretend {
namespace {

constexpr std::uint32_t kRegisteredMagic = 0x466243b1;
constexpr std::uint32_t kBinaryMagic = 0xba55ed50;
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 32;
constexpr std::size_t kArchitectureAt = 28;  // in an entry's header

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

std::vector<int> imageArchitectures(const void* registered) {
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
    std::vector<int> architectures;
    const unsigned char* const entries = wrapper.data + header.headerBytes;
    for (std::uint64_t at = 0; at + kArchitectureAt + sizeof(std::uint32_t) <= header.bytes;) {
        const auto entry = read<EntryHeader>(entries + at);
        architectures.push_back(static_cast<int>(read<std::uint32_t>(entries + at + kArchitectureAt)));
        if (entry.headerBytes == 0 || entry.bytes > header.bytes) {
            return {};
        }
        at += entry.headerBytes + entry.bytes;
    }
    return architectures;
}

int architectureThatRuns(const std::vector<int>& architectures, int capability) {
    int own = 0;
    int older = 0;
    for (const int each : architectures) {
        if (each <= capability && each / 10 == capability / 10 && each > own) {
            own = each;
        } else if (each <= capability && each > older) {
            older = each;
        }
    }
    return own > 0 ? own : older > 0 ? older : capability;
}

}  // namespace highwater::pretend
