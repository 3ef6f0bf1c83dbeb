#include "app/desktop/trace/snapshot_values.h"

#include <fmt/format.h>
#include <QObject>

#include <algorithm>

#include "core/capture/segments_at.h"
#include "widgets/timeline/timeline_words.h"

namespace highwater::desktop {

namespace {

/// Larger sizes are invalid; the limit keeps sums from overflowing.
constexpr base::Bytes kMostBytes = base::Bytes{1} << 43;

widgets::MapBlock mapBlock(const capture::HistorySegment& segment, const capture::HistoryBlock& block) {
    static_assert(static_cast<int>(widgets::MapBlock::State::Free) ==
                  static_cast<int>(capture::HistoryBlock::State::Free));
    widgets::MapBlock made;
    const std::uint64_t offset = block.address - segment.address;
    // The offset of a block before the segment wraps around to a huge value, so that the block is dropped.
    made.offset =
        offset < static_cast<std::uint64_t>(kMostBytes) ? static_cast<base::Bytes>(offset) : kMostBytes;
    made.size = std::clamp<base::Bytes>(block.size, 0, kMostBytes);
    made.requested = block.requested;
    made.age = block.age;
    made.stack = block.stack;
    made.state = static_cast<widgets::MapBlock::State>(block.state);
    return made;
}

std::shared_ptr<const widgets::SegmentMap> segmentMap(const std::vector<capture::HistorySegment>& segments,
                                                      std::shared_ptr<const memory::CallStacks> stacks) {
    auto map = std::make_shared<widgets::SegmentMap>();
    map->stacks = std::move(stacks);
    for (const capture::HistorySegment& segment : segments) {
        widgets::MapSegment made;
        made.address = segment.address;
        made.size = std::clamp<base::Bytes>(segment.size, 0, kMostBytes);
        made.stream = segment.stream;
        made.small = segment.small;
        made.expandable = segment.expandable;
        if (segment.pool.isPrivate()) {
            made.pool = fmt::format("{}, {}", segment.pool.first, segment.pool.second);
        }
        std::vector<widgets::MapBlock> blocks;
        blocks.reserve(segment.blocks.size());
        for (const capture::HistoryBlock& block : segment.blocks) {
            blocks.push_back(mapBlock(segment, block));
        }
        map->add(std::move(made), std::move(blocks));
    }
    return map;
}

}  // namespace

ShownSnapshot shownSnapshot(capture::DeviceSnapshot snapshot, const QString& title) {
    ShownSnapshot shown;
    if (!snapshot.own && snapshot.device >= 0) {
        shown.map = segmentMap(snapshot.segments, snapshot.stacks);
    }
    if (snapshot.trace) {
        if (!title.isEmpty()) {
            snapshot.trace->title = title.toStdString();
        }
        if (usedDevices(snapshot.info).size() > 1) {
            snapshot.trace->title += fmt::format(", GPU {}", snapshot.device);
        }
        shown.compiled = capture::compiledShare(*snapshot.trace);
        shown.trace = std::make_shared<const memory::Trace>(std::move(*snapshot.trace));
        snapshot.trace.reset();
    }
    shown.info = snapshot.info;
    shown.device = snapshot.device;
    if (shown.map) {
        shown.recorded = std::make_shared<const capture::DeviceSnapshot>(std::move(snapshot));
    }
    return shown;
}

std::shared_ptr<const widgets::SegmentMap> mapAt(const capture::DeviceSnapshot& recorded, std::size_t count,
                                                 const capture::Progress& progress) {
    const auto segments = capture::segmentsAt(recorded.events, count, recorded.segments, progress);
    return segments ? segmentMap(*segments, recorded.stacks) : nullptr;
}

std::vector<SnapshotMoment> snapshotMoments(const ShownSnapshot& snapshot, std::optional<std::size_t> peak,
                                            std::optional<std::size_t> clicked) {
    std::vector<SnapshotMoment> moments = {{QObject::tr("at the end"), {}}};
    if (!snapshot.recorded || snapshot.recorded->events.empty() || !snapshot.trace) {
        return moments;
    }
    const auto& events = snapshot.recorded->events;
    const auto refusal = std::find_if(events.rbegin(), events.rend(), [](const auto& event) {
        return event.kind == capture::HistoryEvent::Kind::OutOfMemory;
    });
    if (refusal != events.rend()) {
        moments.push_back(
            {QObject::tr("when memory ran out"), static_cast<std::size_t>(events.rend() - refusal) - 1});
    }
    const auto add = [&](const QString& name, std::optional<std::size_t> state) {
        if (!state) {
            return;
        }
        // The state after the last preceding event.
        const std::size_t before = *state + static_cast<std::size_t>(snapshot.trace->firstEvent);
        const auto& eventOf = snapshot.recorded->eventOf;
        moments.push_back({name, before == 0 || before > eventOf.size()
                                     ? std::size_t{0}
                                     : eventOf[before - 1] + std::size_t{1}});
    };
    add(QObject::tr("at the peak"), peak);
    add(QObject::tr("where you clicked"), clicked);
    return moments;
}

std::vector<capture::SnapshotDevice> usedDevices(const capture::SnapshotInfo& info) {
    std::vector<capture::SnapshotDevice> used;
    std::ranges::copy_if(info.devices, std::back_inserter(used),
                         [](const auto& device) { return device.events > 0 || device.segments > 0; });
    return used;
}

QString deviceText(const capture::SnapshotDevice& device) {
    QStringList parts;
    if (device.refusals > 0) {
        parts << (device.refusals == 1
                      ? QObject::tr("out of memory")
                      : QObject::tr("%1 times out of memory").arg(widgets::countText(device.refusals)));
    }
    parts << (device.events == 0   ? QObject::tr("no history")
              : device.events == 1 ? QObject::tr("1 record")
                                   : QObject::tr("%1 records").arg(widgets::countText(device.events)));
    parts << QObject::tr("%1 reserved").arg(widgets::bytesText(device.reserved));
    return QObject::tr("GPU %1: %2").arg(device.device).arg(parts.join(QStringLiteral(" · ")));
}

QString compiledNotice(const ShownSnapshot& snapshot) {
    return !snapshot.compiled
               ? QString()
               : QObject::tr("Compiled by torch.compile: its code holds %1 of the %2 at the peak.")
                     .arg(widgets::bytesText(snapshot.compiled->bytes),
                          widgets::bytesText(snapshot.compiled->peak));
}

QString refusalNotice(const ShownSnapshot& snapshot) {
    if (!snapshot.trace || snapshot.trace->refusals.empty()) {
        return {};
    }
    const memory::TraceRefusal& last = snapshot.trace->refusals.back();
    const QString what = last.free < 0
                             ? QObject::tr("%1 were requested.").arg(widgets::bytesText(last.asked))
                             : QObject::tr("%1 requested, %2 free.")
                                   .arg(widgets::bytesText(last.asked), widgets::bytesText(last.free));
    const auto count = snapshot.trace->refusals.size();
    return count == 1 ? QObject::tr("GPU %1 ran out of memory: %2").arg(snapshot.device).arg(what)
                      : QObject::tr("GPU %1 ran out of memory %2 times, most recently when %3")
                            .arg(snapshot.device)
                            .arg(count)
                            .arg(what);
}

}  // namespace highwater::desktop
