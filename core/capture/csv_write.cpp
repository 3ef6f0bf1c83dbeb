#include <fmt/format.h>

#include <iterator>

#include "core/base/printable.h"
#include "core/capture/output.h"
#include "core/capture/words.h"

namespace highwater::capture {

namespace {

using memory::Trace;
using memory::TraceEvent;

std::vector<std::string> fields(const std::vector<std::string>& texts) {
    std::vector<std::string> all;
    for (const std::string& text : texts) {
        all.push_back(base::csvField(text));
    }
    return all;
}

std::string_view actionWord(TraceEvent::Kind kind) {
    switch (kind) {
        case TraceEvent::Kind::Allocate:
            return "allocate";
        case TraceEvent::Kind::Retag:
            return "retag";
        case TraceEvent::Kind::Free:
            return "free";
    }
    return "";
}

class CsvWriter {
public:
    CsvWriter(const Trace& trace, std::ostream& out, const Progress& progress)
        : trace_(trace),
          output_(out, progress, trace.alive.size() + trace.events.size()),
          layers_(fields(trace.layers)),
          labels_(fields(trace.labels)) {}

    base::Status write() {
        output_.text() +=
            "event,time_ns,action,block,bytes,reserved_bytes,category,phase,layer,label,allocated_bytes\n";
        for (const memory::TraceAlive& each : trace_.alive) {
            total_ += trace_.blocks[each.block].bytes;
            row("", "", "alive", each.block, each.category, "", each.layer);
        }
        for (std::size_t i = 0; i < trace_.events.size(); ++i) {
            const TraceEvent& event = trace_.events[i];
            const base::Bytes bytes = trace_.blocks[event.block].bytes;
            if (event.kind == TraceEvent::Kind::Allocate) {
                total_ += bytes;
            } else if (event.kind == TraceEvent::Kind::Free) {
                total_ -= bytes;
            }
            if (!row(std::to_string(trace_.firstEvent + static_cast<std::int64_t>(i)),
                     trace_.timed ? std::to_string(event.time) : "", actionWord(event.kind), event.block,
                     event.category, memory::phaseKey(event.phase), event.layer)) {
                break;
            }
        }
        return output_.finish();
    }

private:
    bool row(std::string_view number, std::string_view time, std::string_view action, std::uint32_t block,
             memory::Category category, std::string_view phase, std::int16_t layer) {
        const memory::TraceBlock& facts = trace_.blocks[block];
        fmt::format_to(std::back_inserter(output_.text()), "{},{},{},{},{},{},{},{},{},{},{}\n", number, time,
                       action, block, facts.bytes, facts.reserved, memory::categoryKey(category), phase,
                       layer < 0 ? "" : layers_[static_cast<std::size_t>(layer)],
                       facts.label < 0 ? "" : labels_[static_cast<std::size_t>(facts.label)], total_);
        return output_.part();
    }

    const Trace& trace_;
    Output output_;
    std::vector<std::string> layers_, labels_;
    base::Bytes total_ = 0;
};

}  // namespace

base::Status writeCsv(const Trace& trace, std::ostream& out, const Progress& progress) {
    return CsvWriter(trace, out, progress).write();
}

}  // namespace highwater::capture
