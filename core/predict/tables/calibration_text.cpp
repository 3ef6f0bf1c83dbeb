#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/layers/limits.h"
#include "core/predict/tables/calibration.h"
#include "core/predict/tables/table_text.h"

namespace highwater::predict {

namespace {

using namespace table_text;

constexpr std::size_t kMostEvents = 10000;
constexpr double kMostSpeed = 1e18;

// --- the header

template <class Way>
void calibrationHead(Way& way, base::Exchanged<Way, CpuKey>& key, base::Exchanged<Way, std::string>& machine,
                     base::Exchanged<Way, CpuSpeed>& speed) {
    way.format("schema", "highwater.calibration/1");
    way("libtorch", key.libtorch);
    way("onednn", key.onednn);
    way("isa", key.isa);
    way("threads", key.threads, base::Whole{1, 1 << 20});
    way.olderWithout("machine", machine);
    if (Way::kReads || speed != CpuSpeed()) {
        way.optionalGroup("speed", [&](auto& inner) {
            inner("flops", speed.flops, base::Real{0, kMostSpeed});
            inner("bytes_per_second", speed.bytesPerSecond, base::Real{0, kMostSpeed});
            inner("overhead_us", speed.overheadUs, base::Real{0, kMostMicroseconds});
            efficiencies(inner, "compute", speed.compute);
            efficiencies(inner, "memory", speed.memory);
        });
    }
}

base::Result<Calibration> parseHeader(std::string_view line, std::string_view name) {
    CpuKey key;
    std::string machine;
    CpuSpeed speed;
    const auto fields = [&](auto& way) { calibrationHead(way, key, machine, speed); };
    HIGHWATER_TRY(readHead(line, name, fields));
    Calibration table(key);
    table.machine = machine;
    table.speed = speed;
    return table;
}

// --- rows

/// Reads events and checks that they are possible: each temporary is freed once, after it was allocated, and
/// none is left.
class EventReader {
public:
    EventReader(OpRow& row, bool backward) : row_(row), backward_(backward) {}

    /// Returns an error message for the word; empty if it is valid.
    std::string_view take(std::string_view word) {
        OpEvent event;
        if (word.size() < 2 || !base::readNumber(word.substr(1), event.value) || event.value < 0) {
            return "an event is +BYTES, -TEMPORARY or rRESULT";
        }
        if (row_.events.size() == kMostEvents) {
            return "too many events";
        }
        const std::string_view wrong = word.front() == '+'   ? allocate(event)
                                       : word.front() == '-' ? free(event)
                                       : word.front() == 'r' ? result(event)
                                                             : "an event is +BYTES, -TEMPORARY or rRESULT";
        row_.events.push_back(event);
        return wrong;
    }
    bool allFreed() const { return freed_ == alive_.size(); }

private:
    std::string_view allocate(OpEvent& event) {
        event.kind = OpEvent::Kind::Allocate;
        total_ += event.value;
        alive_.push_back(true);
        return event.value < 1 || event.value > kMostBytes || total_ > kMostBytes
                   ? "a temporary has 1 B to 4 PiB, as have all together"
                   : "";
    }
    std::string_view free(OpEvent& event) {
        event.kind = OpEvent::Kind::Free;
        const auto index = static_cast<std::size_t>(event.value);
        if (index >= alive_.size() || !alive_[index]) {
            return "frees a temporary that does not live";
        }
        alive_[index] = false;
        ++freed_;
        return "";
    }
    std::string_view result(OpEvent& event) {
        event.kind = OpEvent::Kind::Result;
        if (event.value > (backward_ ? 2 : 0)) {
            return "there is no such result (forward: 0; backward: 0 to 2)";
        }
        const unsigned bit = 1U << event.value;
        if ((results_ & bit) != 0) {
            return "allocates a result twice";
        }
        results_ |= bit;
        return "";
    }

    OpRow& row_;
    bool backward_;
    std::vector<bool> alive_;
    std::size_t freed_ = 0;
    unsigned results_ = 0;
    base::Bytes total_ = 0;
};

/// Returns an error message for the line; empty if it is valid.
std::string readRow(std::string_view line, Calibration& table) {
    const auto key = parseConvKey(takeWord(line));
    if (!key) {
        return key.error().message;
    }
    OpRow row;
    if (!takeMicroseconds(line, row.microseconds)) {
        return "after the convolution its microseconds are needed, 0 where not timed";
    }
    row.events.reserve(static_cast<std::size_t>(std::count(line.begin(), line.end(), ' ')) + 1);
    EventReader events(row, key->pass == ConvKey::Pass::Backward);
    while (!line.empty()) {
        const std::string_view word = takeWord(line);
        if (const std::string_view wrong = events.take(word); !wrong.empty()) {
            return fmt::format("\"{}\": {}", base::oneLine(word, 40), wrong);
        }
    }
    if (!events.allFreed()) {
        return "a temporary is not freed";
    }
    const std::size_t before = table.size();
    table.add(*key, std::move(row));
    return table.size() == before ? "this convolution already has a row" : "";
}

void writeRow(std::string& text, const std::string& key, const OpRow& row) {
    fmt::format_to(std::back_inserter(text), "{} {}", key, row.microseconds);
    for (const OpEvent& event : row.events) {
        const char mark = event.kind == OpEvent::Kind::Allocate ? '+'
                          : event.kind == OpEvent::Kind::Free   ? '-'
                                                                : 'r';
        fmt::format_to(std::back_inserter(text), " {}{}", mark, event.value);
    }
    text += '\n';
}

}  // namespace

base::Result<Calibration> parseCalibration(std::string_view text, std::string_view name) {
    return table_text::parse(text, name, parseHeader, readRow);
}

std::string writeCalibration(const Calibration& calibration) {
    return table_text::write(
        [&](auto& way) { calibrationHead(way, calibration.key(), calibration.machine, calibration.speed); },
        calibration.rows(), writeRow);
}

}  // namespace highwater::predict
