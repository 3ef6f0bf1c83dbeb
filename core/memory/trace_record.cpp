#include "core/memory/trace_record.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

namespace highwater::memory {

namespace {

static_assert(std::endian::native == std::endian::little, "the parts are little endian");

constexpr std::string_view kFirstLine = "highwater.trace-chunks/1\n";
constexpr std::size_t kMostNames = 32767, kAliveSize = 7, kBlockSize = 20, kEventSize = 17, kStepSize = 12;
constexpr base::Bytes kMostRecorded = base::Bytes{1} << 62;

template <class T>
void add(std::string& out, T value) {
    char raw[sizeof(T)];
    std::memcpy(raw, &value, sizeof(T));
    out.append(raw, sizeof(T));
}

void addText(std::string& out, std::string_view text) {
    add(out, static_cast<std::uint32_t>(text.size()));
    out += text;
}

std::string withLength(const std::string& part) {
    std::string out;
    out.reserve(part.size() + 4);
    addText(out, part);
    return out;
}

/// Reads values from a part; after the first missing one, everything is 0.
class Taker {
public:
    explicit Taker(std::string_view part) : rest_(part) {}
    template <class T>
    T number() {
        T value{};
        if (rest_.size() < sizeof(T)) {
            failed_ = true;
            return value;
        }
        std::memcpy(&value, rest_.data(), sizeof(T));
        rest_.remove_prefix(sizeof(T));
        return value;
    }
    std::string text() {
        const auto length = number<std::uint32_t>();
        if (length > rest_.size()) {
            failed_ = true;
            return {};
        }
        std::string text(rest_.substr(0, length));
        rest_.remove_prefix(length);
        return text;
    }
    /// The number of records of `size` bytes that follow; never more than the bytes that are left allow, or
    /// than `most`.
    std::size_t count(std::size_t size, std::size_t most = std::numeric_limits<std::size_t>::max()) {
        const auto count = number<std::uint32_t>();
        if (count > std::min(most, rest_.size() / size)) {
            failed_ = true;
            return 0;
        }
        return count;
    }
    /// A number below `end`.
    std::uint8_t choice(int end) {
        const auto value = number<std::uint8_t>();
        failed_ = failed_ || value >= end;
        return failed_ ? std::uint8_t{0} : value;
    }
    void require(bool good) { failed_ = failed_ || !good; }
    bool failed() const { return failed_; }
    bool done() const { return !failed_ && rest_.empty(); }

private:
    std::string_view rest_;
    bool failed_ = false;
};

base::Error damaged() {
    return {std::string(kTraceChunks) + " is damaged"};
}

}  // namespace

std::string encodeLayers(const std::vector<std::string>& layers) {
    std::string part;
    add(part, static_cast<std::uint32_t>(layers.size()));
    for (const std::string& layer : layers) {
        addText(part, layer);
    }
    return std::string(kFirstLine) + withLength(part);
}

std::string encodeChunk(const TraceChunk& chunk) {
    std::string part;
    part.reserve(64 + kBlockSize * chunk.blocks.size() + kEventSize * chunk.events.size());
    add(part, static_cast<std::uint8_t>(chunk.last ? 1 : 0));
    addText(part, chunk.note);
    add(part, static_cast<std::uint32_t>(chunk.labels.size()));
    for (const std::string& label : chunk.labels) {
        addText(part, label);
    }
    add(part, static_cast<std::uint32_t>(chunk.alive.size()));
    for (const TraceAlive& each : chunk.alive) {
        add(part, each.block);
        add(part, static_cast<std::uint8_t>(each.category));
        add(part, each.layer);
    }
    add(part, static_cast<std::uint32_t>(chunk.blocks.size()));
    for (const TraceBlock& block : chunk.blocks) {
        add(part, block.bytes);
        add(part, block.reserved);
        add(part, block.label);
    }
    add(part, static_cast<std::uint32_t>(chunk.events.size()));
    for (const TraceEvent& event : chunk.events) {
        add(part, event.time);
        add(part, event.block);
        add(part, event.layer);
        add(part, static_cast<std::uint8_t>(event.kind));
        add(part, static_cast<std::uint8_t>(event.category));
        add(part, static_cast<std::uint8_t>(event.phase));
    }
    add(part, static_cast<std::uint32_t>(chunk.steps.size()));
    for (const TraceStep& step : chunk.steps) {
        add(part, static_cast<std::int64_t>(step.event));
        add(part, static_cast<std::int32_t>(step.index));
    }
    return withLength(part);
}

std::optional<std::string_view> TraceRecordReader::part() {
    std::uint32_t length = 0;
    if (rest_.size() < sizeof length) {
        return std::nullopt;
    }
    std::memcpy(&length, rest_.data(), sizeof length);
    if (rest_.size() - sizeof length < length) {
        return std::nullopt;
    }
    const std::string_view part = rest_.substr(sizeof length, length);
    rest_.remove_prefix(sizeof length + length);
    return part;
}

base::Result<std::vector<std::string>> TraceRecordReader::layers() {
    if (!rest_.starts_with(kFirstLine)) {
        return damaged();
    }
    rest_.remove_prefix(kFirstLine.size());
    const auto first = part();
    Taker taker(first.value_or(std::string_view()));
    std::vector<std::string> names(taker.count(sizeof(std::uint32_t), kMostNames));
    for (std::string& name : names) {
        name = taker.text();
    }
    if (!taker.done()) {
        return damaged();
    }
    layers_ = names.size();
    return names;
}

base::Result<std::optional<TraceChunk>> TraceRecordReader::next() {
    const auto found = part();
    if (!found) {
        return std::optional<TraceChunk>();
    }
    Taker taker(*found);
    TraceChunk chunk;
    const auto layer = [&] {
        const auto number = taker.number<std::int16_t>();
        taker.require(number >= -1 && number < static_cast<int>(layers_));
        return number;
    };
    chunk.last = taker.choice(2) == 1;
    chunk.note = taker.text();
    chunk.labels.resize(taker.count(sizeof(std::uint32_t), kMostNames - labels_));
    for (std::string& label : chunk.labels) {
        label = taker.text();
    }
    labels_ += chunk.labels.size();
    chunk.alive.resize(taker.count(kAliveSize));
    for (TraceAlive& each : chunk.alive) {
        each.block = taker.number<std::uint32_t>();
        each.category = static_cast<Category>(taker.choice(kCategoryCount));
        each.layer = layer();
    }
    chunk.blocks.resize(taker.count(kBlockSize));
    for (TraceBlock& block : chunk.blocks) {
        block.bytes = taker.number<std::int64_t>();
        block.reserved = taker.number<std::int64_t>();
        block.label = taker.number<std::int32_t>();
        taker.require(block.bytes >= 0 && block.bytes <= kMostRecorded - total_ && block.reserved >= 0 &&
                      block.label >= -1 && block.label < static_cast<std::int64_t>(labels_));
        total_ += taker.failed() ? 0 : block.bytes;
    }
    chunk.events.resize(taker.count(kEventSize));
    for (TraceEvent& event : chunk.events) {
        event.time = taker.number<std::int64_t>();
        event.block = taker.number<std::uint32_t>();
        event.layer = layer();
        event.kind = static_cast<TraceEvent::Kind>(taker.choice(3));
        event.category = static_cast<Category>(taker.choice(kCategoryCount));
        event.phase = static_cast<Phase>(taker.choice(kPhaseCount));
        taker.require(event.time >= 0);
    }
    chunk.steps.resize(taker.count(kStepSize));
    for (TraceStep& step : chunk.steps) {
        const auto event = taker.number<std::int64_t>();
        step.event = static_cast<std::size_t>(event);
        step.index = taker.number<std::int32_t>();
        taker.require(event >= 0 && step.index >= 0);
    }
    if (!taker.done()) {
        return damaged();
    }
    return std::optional(std::move(chunk));
}

}  // namespace highwater::memory
