#include "core/hosts/frames.h"

#include <fmt/format.h>

#include "core/base/text.h"

namespace highwater::hosts {

namespace {

constexpr std::size_t kMostLine = 65536, kMostBefore = 1 << 20;

}  // namespace

std::string toText(const base::Json& line, std::string_view bytes) {
    base::Json json = line;
    if (!bytes.empty()) {
        json["bytes"] = bytes.size();
    }
    return base::jsonText(json) + "\n" + std::string(bytes);
}

base::Result<bool> Frames::greet() {
    const std::string start = fmt::format("{{\"{}\":{}", kGreeting, kProtocol);
    while (!greeted_) {
        const std::size_t end = buffer_.find('\n');
        if (end == std::string::npos) {
            break;
        }
        const std::string_view line(buffer_.data(), end);
        if (line.starts_with(kNotPrepared)) {
            return base::Error{std::string(kNotPrepared)};
        }
        greeted_ = line.starts_with(start);
        skipped_ += end + 1;
        buffer_.erase(0, end + 1);
    }
    if (!greeted_ && skipped_ + buffer_.size() > kMostBefore) {
        return base::Error{"its login shell writes too much before the program starts"};
    }
    return greeted_;
}

base::Result<std::optional<Frame>> Frames::take() {
    const auto ready = HIGHWATER_TRY(greet());
    const std::size_t end = buffer_.find('\n');
    if (!ready || end == std::string::npos) {
        return buffer_.size() > kMostLine && ready ? base::Result<std::optional<Frame>>(base::Error{
                                                         "what runs there wrote a line that is too long"})
                                                   : std::optional<Frame>();
    }
    const auto foreign = [&] {
        return base::Error{fmt::format("the program on the host wrote an invalid answer: {}",
                                       base::oneLine(std::string_view(buffer_).substr(0, end), 120))};
    };
    const auto line = base::parseJson(std::string_view(buffer_).substr(0, end), "answer");
    if (!line || !line->is_object()) {
        return foreign();
    }
    std::size_t size = 0;
    if (const auto at = line->find("bytes"); at != line->end()) {
        if (!at->is_number_unsigned() || at->get<std::size_t>() > kMostFrameBytes) {
            return foreign();
        }
        size = at->get<std::size_t>();
    }
    if (buffer_.size() - end - 1 < size) {
        return std::optional<Frame>();
    }
    Frame frame{std::move(*line), buffer_.substr(end + 1, size)};
    buffer_.erase(0, end + 1 + size);
    return std::optional(std::move(frame));
}

}  // namespace highwater::hosts
