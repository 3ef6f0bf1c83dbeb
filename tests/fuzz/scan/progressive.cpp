#include "tests/fuzz/scan/progressive.h"

#include "tests/core/scan/reader/dicom/builder.h"

namespace highwater::fuzz {
namespace {

using test::word;

/// A marker segment, whose length includes itself.
std::string segment(unsigned marker, const std::string& content) {
    return word(0xFF00 + marker, 2, true) + word(content.size() + 2, 2, true) + content;
}

/// The code "0" for the first symbol and "10" for the second.
std::string huffmanTable(char kindAndNumber, char first, char second) {
    std::string counts(16, '\0');
    counts[0] = counts[1] = 1;
    return segment(0xC4, kindAndNumber + counts + first + second);
}

/// "0110..." as bytes, padded with ones; a byte 0xFF is followed by a zero.
std::string packedBits(std::string bits) {
    bits.resize((bits.size() + 7) / 8 * 8, '1');
    std::string out;
    for (std::size_t at = 0; at < bits.size(); at += 8) {
        const auto byte = static_cast<char>(std::stoi(bits.substr(at, 8), nullptr, 2));
        out += byte;
        out += byte == '\xFF' ? std::string(1, '\0') : "";
    }
    return out;
}

/// A scan (T.81, B.2.3) of coefficients `from` to `to`; `bits` once for each of `blocks`.
std::string pass(char from, char to, char approximation, const std::string& bits, int blocks) {
    std::string all;
    for (int i = 0; i < blocks; ++i) {
        all += bits;
    }
    return segment(0xDA, std::string{1, 1, 0, from, to, approximation}) + packedBits(all);
}

}  // namespace

std::string progressiveJpeg(int columns, int rows) {
    constexpr char kLast = 63, kFirstBit = 0x01, kSecondBit = 0x10;
    const int blocks = (columns + 7) / 8 * ((rows + 7) / 8);
    const std::string frame = std::string{8} + word(static_cast<std::uint64_t>(rows), 2, true) +
                              word(static_cast<std::uint64_t>(columns), 2, true) + std::string{1, 1, 0x11, 0};
    return word(0xFFD8, 2, true) + segment(0xDB, std::string(1, '\0') + std::string(64, '\1')) +
           segment(0xC2, frame) + huffmanTable(0x00, 0, 3) +  // differences of no and of three bits
           huffmanTable(0x10, 0, 1) +                         // the end of a block, and one bit
           pass(0, 0, kFirstBit,
                "10"
                "101",
                blocks) +  // a difference of 5
           pass(1, kLast, kFirstBit,
                "10"
                "1"
                "0",
                blocks) +  // coefficient 1 is 1, then the block ends
           pass(0, 0, kSecondBit, "1", blocks) +
           pass(1, kLast, kSecondBit,
                "0"
                "1",
                blocks) +  // nothing new; the bit of coefficient 1
           word(0xFFD9, 2, true);
}

}  // namespace highwater::fuzz
