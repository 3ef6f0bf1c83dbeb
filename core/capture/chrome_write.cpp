#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "core/base/json_reader.h"
#include "core/capture/output.h"
#include "core/capture/words.h"

namespace highwater::capture {

namespace {

using base::jsonText;
using memory::Trace;
using memory::TraceEvent;

constexpr std::size_t kBuckets = 50'000;  // groups of counter samples, at most two in each
enum Track { kSteps = 1, kPhases = 2, kLayers = 3 };

class ChromeWriter {
public:
    ChromeWriter(const Trace& trace, std::ostream& out, const Progress& progress)
        : trace_(trace), output_(out, progress, 4 * trace.events.size()), text_(output_.text()) {}

    base::Status write() {
        text_ += "{\"displayTimeUnit\":\"ms\",\"otherData\":";
        text_ += about();
        text_ += ",\"traceEvents\":[\n";
        names();
        steps();
        slices(kPhases, [](const TraceEvent& event) { return static_cast<int>(event.phase); });
        slices(kLayers, [](const TraceEvent& event) {
            return event.layer < 0 ? -1 : event.layer * memory::kPhaseCount + static_cast<int>(event.phase);
        });
        counters();
        text_ += "\n]}\n";
        return output_.finish();
    }

private:
    std::string about() const {
        const std::size_t events = trace_.events.size();
        const std::size_t bucket = bucketSize();
        const memory::TracePeak peak = memory::findPeak(trace_);
        return fmt::format(
            "{{\"title\":{},\"time\":{},\"events\":{},\"peak_bytes\":{},\"counters\":{}}}",
            jsonText(trace_.title),
            trace_.timed ? "\"microseconds\"" : "\"without a clock: an event is a microsecond\"", events,
            peak.ledger.total(),
            bucket == 1
                ? "\"every event\""
                : jsonText(fmt::format("the lowest and the highest total of every {} events", bucket)));
    }

    std::size_t bucketSize() const {
        return trace_.events.size() <= 2 * kBuckets ? 1 : trace_.events.size() / kBuckets + 1;
    }

    std::string stamp(std::int64_t time) const {
        return trace_.timed ? fmt::format("{}.{:03}", time / 1000, time % 1000) : fmt::format("{}", time);
    }

    void line(std::string_view json) {
        if (!first_) {
            text_ += ",\n";
        }
        first_ = false;
        text_ += json;
        output_.part();
    }

    void names() {
        line(fmt::format(R"({{"ph":"M","pid":1,"name":"process_name","args":{{"name":{}}}}})",
                         jsonText(trace_.title)));
        const std::pair<Track, const char*> tracks[] = {
            {kSteps, "steps"}, {kPhases, "phases"}, {kLayers, "layers"}};
        for (const auto& [track, name] : tracks) {
            line(fmt::format(R"({{"ph":"M","pid":1,"tid":{},"name":"thread_name","args":{{"name":"{}"}}}})",
                             static_cast<int>(track), name));
            line(fmt::format(
                R"({{"ph":"M","pid":1,"tid":{0},"name":"thread_sort_index","args":{{"sort_index":{0}}}}})",
                static_cast<int>(track)));
        }
    }

    void slice(Track track, std::string_view name, std::int64_t from, std::int64_t to,
               std::string_view args) {
        line(fmt::format(R"({{"ph":"X","pid":1,"tid":{},"name":{},"ts":{},"dur":{},"args":{{{}}}}})",
                         static_cast<int>(track), jsonText(name), stamp(from), stamp(to - from), args));
    }

    /// The end time of a slice that ends before this event.
    std::int64_t endTime(std::size_t event) const {
        return event < trace_.events.size() ? trace_.events[event].time : trace_.events.back().time;
    }

    void steps() {
        for (std::size_t i = 0; i < trace_.steps.size(); ++i) {
            const memory::TraceStep& step = trace_.steps[i];
            if (step.event >= trace_.events.size()) {
                continue;
            }
            const std::size_t end =
                i + 1 < trace_.steps.size() ? trace_.steps[i + 1].event : trace_.events.size();
            slice(kSteps, fmt::format("step {}", step.index + 1), trace_.events[step.event].time,
                  endTime(end), "");
        }
    }

    /// Writes one slice for each group of consecutive events with the same key; none if the key is negative.
    template <class Key>
    void slices(Track track, Key key) {
        const auto& events = trace_.events;
        for (std::size_t from = 0, to = 0; from < events.size(); from = to) {
            const int what = key(events[from]);
            for (to = from; to < events.size() && key(events[to]) == what;) {
                ++to;
            }
            if (what < 0) {
                continue;
            }
            const TraceEvent& event = events[from];
            const std::string_view name =
                track == kPhases ? memory::phaseKey(event.phase)
                                 : std::string_view(trace_.layers[static_cast<std::size_t>(event.layer)]);
            slice(track, name, event.time, endTime(to),
                  track == kPhases ? "" : fmt::format("\"phase\":\"{}\"", memory::phaseKey(event.phase)));
        }
    }

    void counter(std::int64_t time, const memory::Ledger& ledger) {
        std::string json =
            fmt::format(R"({{"ph":"C","pid":1,"name":"memory","ts":{},"args":{{)", stamp(time));
        for (const memory::Category category : memory::kCategories) {
            fmt::format_to(std::back_inserter(json), "{}\"{}\":{}",
                           category == memory::kCategories.front() ? "" : ",", memory::categoryKey(category),
                           ledger[category]);
        }
        line(json + "}}");
    }

    struct Sample {
        std::size_t event = 0;
        memory::Ledger ledger;
    };

    /// Updates the ledger by an event.
    void apply(const TraceEvent& event) {
        const base::Bytes bytes = trace_.blocks[event.block].bytes;
        if (event.kind != TraceEvent::Kind::Allocate) {
            ledger_[categories_[event.block]] -= bytes;
        }
        if (event.kind != TraceEvent::Kind::Free) {
            ledger_[event.category] += bytes;
        }
        categories_[event.block] = event.category;
    }

    void counters() {
        ledger_ = trace_.before();
        categories_.assign(trace_.blocks.size(), memory::Category::Temporaries);
        for (const memory::TraceAlive& each : trace_.alive) {
            categories_[each.block] = each.category;
        }
        if (!trace_.events.empty()) {
            counter(trace_.events.front().time, ledger_);
        }
        const std::size_t bucket = bucketSize();
        for (std::size_t from = 0; from < trace_.events.size(); from += bucket) {
            extremes(from, std::min(trace_.events.size(), from + bucket));
        }
    }

    void extremes(std::size_t from, std::size_t to) {
        Sample low, high;
        for (std::size_t i = from; i < to; ++i) {
            apply(trace_.events[i]);
            const Sample now{i, ledger_};
            if (i == from || now.ledger.total() < low.ledger.total()) {
                low = now;
            }
            if (i == from || now.ledger.total() > high.ledger.total()) {
                high = now;
            }
        }
        const bool rising = low.event <= high.event;
        const Sample& first = rising ? low : high;
        const Sample& second = rising ? high : low;
        counter(trace_.events[first.event].time, first.ledger);
        if (first.event != second.event) {
            counter(trace_.events[second.event].time, second.ledger);
        }
    }

    const Trace& trace_;
    Output output_;
    std::string& text_;
    bool first_ = true;
    memory::Ledger ledger_;
    std::vector<memory::Category> categories_;
};

}  // namespace

base::Status writeChrome(const Trace& trace, std::ostream& out, const Progress& progress) {
    return ChromeWriter(trace, out, progress).write();
}

}  // namespace highwater::capture
