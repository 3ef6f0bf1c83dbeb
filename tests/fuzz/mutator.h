#pragma once

#include <cstdint>
#include <random>
#include <string>

namespace highwater::fuzz {

/// Damages `bytes` in typical ways: flipped bits, boundary values, removed, repeated and swapped ranges,
/// truncation. The same seed gives the same result.
inline std::string mutate(std::string bytes, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    const auto below = [&](std::size_t n) {
        return n == 0 ? std::size_t{0} : static_cast<std::size_t>(random() % n);
    };
    const std::size_t edits = 1 + below(6);
    for (std::size_t e = 0; e < edits && !bytes.empty(); ++e) {
        const std::size_t at = below(bytes.size());
        const std::size_t length = 1 + below(std::min<std::size_t>(64, bytes.size() - at));
        switch (below(8)) {
            case 0:
                bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8)));
                break;
            case 1:
                bytes[at] = static_cast<char>(random());
                break;
            case 2: {
                static constexpr unsigned char edge[] = {0x00, 0x01, 0x7f, 0x80, 0xff};
                for (std::size_t i = 0; i < std::min<std::size_t>(length, 8); ++i) {
                    bytes[at + i] = static_cast<char>(edge[below(5)]);
                }
                break;
            }
            case 3:
                bytes.erase(at, length);
                break;
            case 4:
                bytes.insert(at, bytes.substr(at, length));
                break;
            case 5:
                bytes.resize(at);
                break;
            case 6: {
                const std::size_t other = below(bytes.size());
                std::swap(bytes[at], bytes[other]);
                break;
            }
            default: {
                // Small files and headers matter most: hit the first 400 bytes more often than by chance.
                bytes[below(std::min<std::size_t>(400, bytes.size()))] = static_cast<char>(random());
                break;
            }
        }
    }
    return bytes;
}

/// Changes digits in some places after the first line: most of these texts are still tables.
inline std::string strikeDigits(std::string text, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    const std::size_t rows = text.find('\n');
    for (int edits = 1 + static_cast<int>(random() % 3); edits > 0; --edits) {
        const std::size_t at = text.find_first_of("0123456789", rows + random() % (text.size() - rows));
        if (at != std::string::npos) {
            text[at] = static_cast<char>('0' + random() % 10);
        }
    }
    return text;
}

}  // namespace highwater::fuzz
