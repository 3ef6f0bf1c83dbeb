#include "core/capture/pickle_writer.h"

namespace highwater::capture {

namespace {

constexpr std::size_t kFrameBytes = 64 * 1024;  // Python's frame size

/// Bytes of the value's shortest two's complement form.
int width(std::int64_t value) {
    int bytes = 1;
    while (bytes < 8 && (value >> (8 * bytes - 1)) != 0 && (value >> (8 * bytes - 1)) != -1) {
        ++bytes;
    }
    return bytes;
}

void appendLittle(std::string& out, std::uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) {
        out += static_cast<char>(value >> (8 * i) & 0xff);
    }
}

}  // namespace

void PickleWriter::little(std::uint64_t value, int bytes) {
    appendLittle(frame_, value, bytes);
}

void PickleWriter::integer(std::int64_t value) {
    const auto bits = static_cast<std::uint64_t>(value);
    if (value >= 0 && value <= 0xff) {
        frame_ += 'K';
        little(bits, 1);
    } else if (value >= 0 && value <= 0xffff) {
        frame_ += 'M';
        little(bits, 2);
    } else if (value == static_cast<std::int32_t>(value)) {
        frame_ += 'J';
        little(bits, 4);
    } else {
        const int bytes = width(value);
        frame_ += '\x8a';
        frame_ += static_cast<char>(bytes);
        little(bits, bytes);
    }
}

void PickleWriter::real(double value) {
    frame_ += 'G';
    const auto bits = std::bit_cast<std::uint64_t>(value);
    for (int i = 7; i >= 0; --i) {
        frame_ += static_cast<char>(bits >> (8 * i) & 0xff);
    }
}

void PickleWriter::text(std::string_view value) {
    if (value.size() < 256) {
        frame_ += '\x8c';
        little(value.size(), 1);
    } else {
        frame_ += 'X';
        little(value.size(), 4);
    }
    frame_ += value;
}

void PickleWriter::text(SharedText& value) {
    if (value.memo >= 0) {
        return recall(value.memo);
    }
    text(value.text);
    value.memo = remember();
}

int PickleWriter::remember() {
    frame_ += '\x94';
    return memos_++;
}

void PickleWriter::recall(int memo) {
    const bool small = memo <= 0xff;
    frame_ += small ? 'h' : 'j';
    little(static_cast<std::uint64_t>(memo), small ? 1 : 4);
}

void PickleWriter::rest() {
    if (frame_.size() >= kFrameBytes) {
        endFrame();
    }
}

void PickleWriter::stop() {
    frame_ += '.';
    endFrame();
}

void PickleWriter::endFrame() {
    out_ += '\x95';
    appendLittle(out_, frame_.size(), 8);
    out_ += frame_;
    frame_.clear();
}

}  // namespace highwater::capture
