#include "core/wire/event_lines.h"

#include <fmt/format.h>

#include <utility>

#include "core/base/process.h"
#include "core/base/text.h"

namespace highwater::wire {

namespace {

constexpr std::size_t kErrorTail = 4096;

}  // namespace

void EventLines::complain(std::string message) {
    if (++bad_ == 1) {
        events_.push_back(Warning{std::move(message)});
    }
}

void EventLines::parse(std::string_view line) {
    if (line.empty()) {
        return;
    }
    if (auto event = parseEvent(line)) {
        events_.push_back(std::move(*event));
    } else {
        complain(fmt::format("the engine wrote an invalid event: {}", base::oneLine(line, 120)));
    }
}

void EventLines::add(std::string_view bytes) {
    const std::size_t before = buffer_.size();
    buffer_.append(bytes);
    std::size_t begin = 0;
    for (std::size_t end = buffer_.find('\n', before); end != std::string::npos;
         end = buffer_.find('\n', begin)) {
        if (!std::exchange(skipping_, false)) {
            parse(std::string_view(buffer_).substr(begin, end - begin));
        }
        begin = end + 1;
    }
    buffer_.erase(0, begin);
    if (skipping_ || buffer_.size() > static_cast<std::size_t>(kLongestEvent)) {
        if (!skipping_) {
            complain("the engine wrote a line that is too long to be an event");
        }
        skipping_ = true;
        buffer_.clear();
    }
}

void EventLines::end() {
    parse(std::exchange(buffer_, {}));
    skipping_ = false;
}

std::vector<Event> EventLines::take() {
    if (const int bad = std::exchange(bad_, 0); bad > 1) {
        events_.push_back(
            Warning{fmt::format("the engine wrote {} more lines that are not events", bad - 1)});
    }
    return std::exchange(events_, {});
}

void EngineErrors::bound() {
    base::boundErrors(file_.get());
}

std::string EngineErrors::tail() const {
    return base::readTail(file_.get(), kErrorTail);
}

}  // namespace highwater::wire
