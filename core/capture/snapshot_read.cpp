#include <fmt/format.h>

#include "core/base/text.h"
#include "core/capture/capture.h"
#include "core/capture/pickle_reader.h"
#include "core/capture/snapshot_trace.h"

namespace highwater::capture {

namespace {

struct Snapshot {
    SnapshotContents contents;
    SnapshotTrace made;
};

base::Result<Snapshot> read(PickleSource source, const Progress& progress, bool needsHistory) {
    SnapshotRecords records;
    PickleStore store(records);
    records.attach(store);
    // Building the trace takes the last tenth of the progress.
    const Progress most = [&](double share) { return !progress || progress(0.9 * share); };
    base::Result<Value> root = [&] { return PickleReader(source, store, most).read(); }();
    if (!root) {
        return root.error().message == "cancelled"
                   ? root.error()
                   : base::Error{fmt::format("cannot be read as a pickle: {}", root.error().message)};
    }
    auto contents = snapshotContents(records, *root);
    if (!contents) {
        return contents.error();
    }
    Snapshot snapshot;
    snapshot.contents = std::move(*contents);
    if (snapshot.contents.device < 0 && !needsHistory) {
        return snapshot;
    }
    auto made = snapshotTrace(records, store, *root, snapshot.contents);
    if (!made) {
        return made.error();
    }
    snapshot.made = std::move(*made);
    if (progress && !progress(1)) {
        return base::Error{"cancelled"};
    }
    return snapshot;
}

base::Result<memory::Trace> readTrace(PickleSource source, std::optional<Range> range,
                                      const Progress& progress) {
    auto snapshot = read(std::move(source), progress, true);
    if (!snapshot) {
        return snapshot.error();
    }
    memory::Trace& trace = snapshot->made.trace;
    if (!range) {
        return std::move(trace);
    }
    if (range->first < 0 || range->count < 0 || range->first >= trace.allEvents) {
        return base::Error{fmt::format("has events 0 to {}; a range begins at one of them, not at {}",
                                       trace.allEvents - 1, range->first)};
    }
    return cut(std::move(trace), range->first, range->count);
}

base::Error named(const std::filesystem::path& file, const base::Error& error) {
    return base::Error{base::oneLine(fmt::format("{}: {}", file.string(), error.message), 1000)};
}

}  // namespace

base::Result<memory::Trace> readSnapshot(const std::filesystem::path& file, std::optional<Range> range,
                                         const Progress& progress) {
    auto source = PickleSource::open(file);
    if (!source) {
        return source.error();
    }
    auto trace = readTrace(std::move(*source), range, progress);
    if (!trace) {
        return named(file, trace.error());
    }
    if (trace->title.empty()) {
        trace->title = base::oneLine(file.filename().string());
    }
    return trace;
}

base::Result<memory::Trace> readSnapshotBytes(std::string_view bytes, std::optional<Range> range) {
    return readTrace(PickleSource(bytes), range, {});
}

base::Result<SnapshotInfo> inspectSnapshot(const std::filesystem::path& file, const Progress& progress) {
    auto source = PickleSource::open(file);
    if (!source) {
        return source.error();
    }
    SnapshotInfo info;
    info.fileBytes = static_cast<std::int64_t>(source->size());
    auto snapshot = read(std::move(*source), progress, false);
    if (!snapshot) {
        return named(file, snapshot.error());
    }
    info.devices = static_cast<int>(snapshot->contents.devices.size());
    info.device = snapshot->contents.device;
    info.events = snapshot->made.trace.allEvents;
    info.skipped = snapshot->made.skipped;
    if (info.device >= 0) {
        info.peak = memory::findPeak(snapshot->made.trace).ledger.total();
    }
    return info;
}

}  // namespace highwater::capture
