#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "core/base/file_kind.h"
#include "core/base/text.h"
#include "core/capture/capture.h"
#include "core/capture/pickle_reader.h"
#include "core/capture/snapshot_trace.h"

namespace highwater::capture {

namespace {

/// A parsed file.
struct Parsed {
    SnapshotRecords records;
    PickleStore store{records};
    SnapshotContents contents;
};

/// Building the trace takes the last tenth of the progress.
base::Result<std::unique_ptr<Parsed>> parse(PickleSource& source, const Progress& progress) {
    auto parsed = std::make_unique<Parsed>();
    parsed->records.attach(parsed->store);
    const Progress most = [&](double share) { return !progress || progress(0.9 * share); };
    base::MemoryBudget budget(static_cast<base::Bytes>(source.size()), base::MemoryBudget::kLargeShare);
    const base::Result<Value> root = PickleReader(source, parsed->store, budget, most).read();
    if (!root) {
        return root.error().message == "cancelled"
                   ? root.error()
                   : base::Error{fmt::format("cannot be read as a pickle: {}", root.error().message)};
    }
    parsed->contents = HIGHWATER_TRY(snapshotContents(parsed->records, *root, budget));
    return parsed;
}

base::Status finished(const Progress& progress) {
    return progress && !progress(1) ? base::Status(base::Error{"cancelled"}) : base::Status();
}

base::Result<memory::Trace> part(memory::Trace trace, std::optional<Range> range) {
    if (!range) {
        return trace;
    }
    if (range->first < 0 || range->count < 0 || range->first >= trace.allEvents) {
        return base::Error{fmt::format("has events 0 to {}; a range begins at one of them, not at {}",
                                       trace.allEvents - 1, range->first)};
    }
    return cut(std::move(trace), range->first, range->count);
}

base::Result<memory::Trace> readTrace(PickleSource source, std::optional<Range> range,
                                      const Progress& progress) {
    auto parsed = HIGHWATER_TRY(parse(source, progress));
    const SnapshotContents& contents = parsed->contents;
    auto made = HIGHWATER_TRY(
        snapshotTrace(parsed->records, parsed->store, contents, chosenDevice(contents.devices)));
    if (made.empty()) {
        return base::Error{
            "contains no allocation history of allocations; call torch.cuda.memory._record_memory_history() "
            "before the training, and write the snapshot after it"};
    }
    HIGHWATER_TRY(finished(progress));
    return part(std::move(made.trace), range);
}

const SnapshotDevice* find(const std::vector<SnapshotDevice>& devices, std::int64_t device) {
    const auto found = std::ranges::find(devices, device, &SnapshotDevice::device);
    return found == devices.end() ? nullptr : &*found;
}

/// Sets the figures in `info` from the device's trace, if it has one, and the trace itself if it is wanted.
base::Status takeTrace(const Parsed& parsed, const SnapshotRequest& request, DeviceSnapshot& made) {
    auto trace = HIGHWATER_TRY(snapshotTrace(parsed.records, parsed.store, parsed.contents, made.device));
    if (trace.empty()) {
        return {};
    }
    made.info.events = trace.trace.allEvents;
    made.info.skipped = trace.skipped;
    made.info.peak = memory::findPeak(trace.trace).ledger.total();
    made.stacks = trace.trace.stacks;
    made.eventOf = std::move(trace.eventOf);
    if (!request.range && made.info.events > request.mostEvents) {
        return {};
    }
    made.trace = HIGHWATER_TRY(part(std::move(trace.trace), request.range));
    return {};
}

void takeEvents(const Parsed& parsed, Value list, DeviceSnapshot& made) {
    if (!list.is(Value::Kind::List) || parsed.records.listAt(list).size() > DeviceSnapshot::kMostReplayed) {
        return;
    }
    for (const Value item : parsed.records.listAt(list)) {
        if (item.is(Value::Kind::Event)) {
            made.events.push_back(
                historyEvent(parsed.records, parsed.store, parsed.records.events[item.payload()]));
        }
    }
}

void takeSegments(const Parsed& parsed, DeviceSnapshot& made) {
    for (auto& each : historySegments(parsed.records, parsed.store, parsed.contents.segments, made.device)) {
        made.segments.push_back(std::move(each.second));
    }
    const auto number = static_cast<std::size_t>(made.device);
    if (number < parsed.contents.traces.size()) {
        findAges(parsed.records, parsed.contents.traces[number], made.segments);
        takeEvents(parsed, parsed.contents.traces[number], made);
    }
    made.own = parsed.contents.own.is(Value::Kind::Dictionary);
    if (made.own) {
        for (HistorySegment& segment : made.segments) {
            for (HistoryBlock& block : segment.blocks) {
                block.stack = -1;  // these frames are Highwater's own, not stacks
            }
        }
        for (HistoryEvent& event : made.events) {
            event.stack = -1;
        }
    } else if (!made.stacks && !parsed.records.stacks.empty()) {
        made.stacks = std::make_shared<const memory::CallStacks>(parsed.records.callStacks());
    }
}

base::Result<DeviceSnapshot> openFrom(PickleSource source, const SnapshotRequest& request,
                                      const Progress& progress) {
    DeviceSnapshot made;
    made.info.fileBytes = static_cast<std::int64_t>(source.size());
    auto parsed = HIGHWATER_TRY(parse(source, progress));
    made.info.devices = parsed->contents.devices;
    made.info.device = chosenDevice(made.info.devices);
    made.device = request.device.value_or(made.info.device);
    if (request.device && !find(made.info.devices, made.device)) {
        return base::Error{fmt::format("holds nothing of GPU {}", made.device)};
    }
    HIGHWATER_TRY(takeTrace(*parsed, request, made));
    takeSegments(*parsed, made);
    HIGHWATER_TRY(finished(progress));
    return made;
}

}  // namespace

base::Error errorOfFile(const std::filesystem::path& file, const base::Error& error) {
    constexpr std::string_view kNeeded =
        "a memory snapshot, as torch.cuda.memory._dump_snapshot() writes it,";
    if (const std::string what = base::whatFileIs(file); !what.empty() && what != "is a Python pickle") {
        return base::Error{
            base::oneLine(fmt::format("{}: {}", file.string(), base::wrongKind(what, kNeeded)), 1000)};
    }
    return base::Error{base::oneLine(fmt::format("{}: {}", file.string(), error.message), 1000)};
}

namespace {

/// A trace without a title is named after its file.
void nameTrace(const std::filesystem::path& file, memory::Trace& trace) {
    if (trace.title.empty()) {
        trace.title = base::oneLine(file.filename().string());
    }
}

}  // namespace

base::Result<memory::Trace> readSnapshot(const std::filesystem::path& file, std::optional<Range> range,
                                         const Progress& progress) {
    auto source = HIGHWATER_TRY(PickleSource::open(file));
    auto trace = readTrace(std::move(source), range, progress);
    if (!trace) {
        return errorOfFile(file, trace.error());
    }
    nameTrace(file, *trace);
    return trace;
}

base::Result<memory::Trace> readSnapshotBytes(std::string_view bytes, std::optional<Range> range) {
    return readTrace(PickleSource(bytes), range, {});
}

base::Result<DeviceSnapshot> openSnapshot(const std::filesystem::path& file, const SnapshotRequest& request,
                                          const Progress& progress) {
    auto source = HIGHWATER_TRY(PickleSource::open(file));
    auto opened = openFrom(std::move(source), request, progress);
    if (!opened) {
        return errorOfFile(file, opened.error());
    }
    if (opened->trace) {
        nameTrace(file, *opened->trace);
    }
    return opened;
}

base::Result<DeviceSnapshot> openSnapshotBytes(std::string_view bytes, const SnapshotRequest& request) {
    return openFrom(PickleSource(bytes), request, {});
}

base::Result<SnapshotInfo> inspectSnapshot(const std::filesystem::path& file, const Progress& progress) {
    SnapshotRequest request;
    request.mostEvents = -1;
    auto opened = HIGHWATER_TRY(openSnapshot(file, request, progress));
    return std::move(opened.info);
}

}  // namespace highwater::capture
