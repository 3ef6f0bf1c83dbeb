#pragma once

#include <cstdint>
#include <vector>

#include "core/pretend/images.h"

namespace highwater::pretend {

/// A fat binary with an image for each architecture, as nvcc registers it.
struct FatBinary {
    explicit FatBinary(const std::vector<Image>& images) {
        constexpr std::uint32_t kHeader = 64;
        constexpr std::uint64_t kImage = 8;
        add(std::uint32_t{0xba55ed50});
        add(std::uint16_t{1});
        add(std::uint16_t{16});
        add(std::uint64_t{images.size() * (kHeader + kImage)});
        for (const Image& image : images) {
            const std::size_t begin = bytes.size();
            add(std::uint16_t(image.compiled ? 2 : 1));
            add(std::uint16_t{0x101});
            add(kHeader);
            add(kImage);
            bytes.resize(begin + 28);
            add(std::uint32_t(image.architecture));
            bytes.resize(begin + 40);
            add(std::uint64_t{image.thisAlone ? 0x108011U : 0x8011U});
            bytes.resize(begin + kHeader + kImage);
        }
    }
    template <typename Value>
    void add(Value value) {
        const auto* const begin = reinterpret_cast<const unsigned char*>(&value);
        bytes.insert(bytes.end(), begin, begin + sizeof value);
    }
    std::vector<Image> read() {
        registered.data = bytes.data();
        return imagesOf(&registered);
    }
    struct {
        std::uint32_t magic = 0x466243b1;
        std::uint32_t version = 1;
        const unsigned char* data = nullptr;
        const void* file = nullptr;
    } registered;
    std::vector<unsigned char> bytes;
};

}  // namespace highwater::pretend
