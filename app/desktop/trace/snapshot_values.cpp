#include "app/desktop/trace/snapshot_values.h"

#include <fmt/format.h>

#include <algorithm>

#include "widgets/timeline/timeline_words.h"

namespace highwater::desktop {

namespace {

/// Larger sizes are none; so sums of them stay numbers.
constexpr base::Bytes kMostBytes = base::Bytes{1} << 43;

widgets::MapBlock mapBlock(const capture::HistorySegment& segment, const capture::HistoryBlock& block) {
    static_assert(static_cast<int>(widgets::MapBlock::State::Free) ==
                  static_cast<int>(capture::HistoryBlock::State::Free));
    widgets::MapBlock made;
    const std::uint64_t offset = block.address - segment.address;
    // A block before the segment wraps around to an offset behind it, and is left out.
    made.offset =
        offset < static_cast<std::uint64_t>(kMostBytes) ? static_cast<base::Bytes>(offset) : kMostBytes;
    made.size = std::clamp<base::Bytes>(block.size, 0, kMostBytes);
    made.requested = block.requested;
    made.age = block.age;
    made.stack = block.stack;
    made.state = static_cast<widgets::MapBlock::State>(block.state);
    return made;
}

std::shared_ptr<const widgets::SegmentMap> segmentMap(const capture::DeviceSnapshot& snapshot) {
    auto map = std::make_shared<widgets::SegmentMap>();
    map->stacks = snapshot.stacks;
    for (const capture::HistorySegment& segment : snapshot.segments) {
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
        shown.map = segmentMap(snapshot);
    }
    if (snapshot.trace) {
        if (!title.isEmpty()) {
            snapshot.trace->title = title.toStdString();
        }
        if (usedDevices(snapshot.info).size() > 1) {
            snapshot.trace->title += fmt::format(", GPU {}", snapshot.device);
        }
        shown.trace = std::make_shared<const memory::Trace>(std::move(*snapshot.trace));
    }
    shown.info = std::move(snapshot.info);
    shown.device = snapshot.device;
    return shown;
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
              : device.events == 1 ? QObject::tr("1 event")
                                   : QObject::tr("%1 events").arg(widgets::countText(device.events)));
    parts << QObject::tr("%1 reserved").arg(widgets::bytesText(device.reserved));
    return QObject::tr("GPU %1: %2").arg(device.device).arg(parts.join(QStringLiteral(" · ")));
}

QString refusalNotice(const ShownSnapshot& snapshot) {
    if (!snapshot.trace || snapshot.trace->refusals.empty()) {
        return {};
    }
    const memory::TraceRefusal& last = snapshot.trace->refusals.back();
    const QString what = last.free < 0
                             ? QObject::tr("%1 were asked for.").arg(widgets::bytesText(last.asked))
                             : QObject::tr("%1 were asked for, %2 were free.")
                                   .arg(widgets::bytesText(last.asked), widgets::bytesText(last.free));
    const auto count = snapshot.trace->refusals.size();
    return (count == 1 ? QObject::tr("GPU %1 ran out of memory: %2")
                       : QObject::tr("GPU %1 ran out of memory %3 times, at last when %2"))
        .arg(snapshot.device)
        .arg(what)
        .arg(count);
}

}  // namespace highwater::desktop
