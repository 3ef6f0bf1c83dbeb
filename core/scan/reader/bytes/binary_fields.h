#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <span>

namespace highwater::scan::reader {

/// Reads the numbers of a binary header at byte offsets, which must be within it.
class BinaryFields {
public:
    /// `swapped`: the header has the other byte order than this machine, which is little-endian.
    BinaryFields(std::span<const std::byte> bytes, bool swapped) : bytes_(bytes), swapped_(swapped) {}

    template <class T>
    T at(std::size_t offset) const {
        std::array<std::byte, sizeof(T)> raw{};
        std::memcpy(raw.data(), bytes_.data() + offset, sizeof(T));
        if (swapped_) {
            std::reverse(raw.begin(), raw.end());
        }
        T value;
        std::memcpy(&value, raw.data(), sizeof(T));
        return value;
    }

    /// N numbers of type T.
    template <class T, class As, std::size_t N>
    std::array<As, N> list(std::size_t offset) const {
        std::array<As, N> values{};
        for (std::size_t i = 0; i < N; ++i) {
            values[i] = static_cast<As>(at<T>(offset + i * sizeof(T)));
        }
        return values;
    }

    /// Three rows of four numbers.
    template <class T>
    std::array<std::array<double, 4>, 3> rows(std::size_t offset) const {
        std::array<std::array<double, 4>, 3> rows{};
        for (std::size_t row = 0; row < 3; ++row) {
            rows[row] = list<T, double, 4>(offset + row * 4 * sizeof(T));
        }
        return rows;
    }

private:
    std::span<const std::byte> bytes_;
    bool swapped_;
};

}  // namespace highwater::scan::reader
