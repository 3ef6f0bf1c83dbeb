#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace highwater::capture {

/// Reads a file or memory sequentially through a window. The file's length is determined when it is opened: a
/// file that shrinks counts as truncated, and appended bytes are not read.
class PickleSource {
public:
    static constexpr std::size_t kWindow = std::size_t{1} << 20;
    static constexpr std::size_t kPadding =
        16;  ///< zeros after the last byte, so that operands can be read without a check

    static base::Result<PickleSource> open(const std::filesystem::path& file);
    explicit PickleSource(std::string_view bytes);
    PickleSource(PickleSource&& other) noexcept;
    PickleSource(const PickleSource&) = delete;
    PickleSource& operator=(const PickleSource&) = delete;
    PickleSource& operator=(PickleSource&&) = delete;
    ~PickleSource();

    const std::uint8_t* at = nullptr;   ///< the next byte
    const std::uint8_t* end = nullptr;  ///< the end of the window

    /// Fills the window so that `need` bytes (at most 64 KiB), or all remaining bytes, are available. A read
    /// error counts as the end of the file.
    void fill(std::size_t need);
    /// Skips `count` bytes, or all that remain.
    void skip(std::uint64_t count);

    std::uint64_t size() const { return size_; }
    std::uint64_t left() const {
        return at < end ? static_cast<std::uint64_t>(end - at) + (size_ - read_) : size_ - read_;
    }
    std::uint64_t position() const { return size_ - left(); }
    bool ended() const { return read_ == size_; }

private:
    PickleSource(int fd, std::uint64_t size);
    std::uint64_t readSome(std::uint8_t* to, std::uint64_t most);

    int fd_ = -1;
    std::string_view memory_;
    std::uint64_t size_ = 0, read_ = 0;
    std::vector<std::uint8_t> window_;
};

}  // namespace highwater::capture
