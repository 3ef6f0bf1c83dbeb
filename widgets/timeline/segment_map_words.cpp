#include "core/base/text.h"
#include "widgets/plot/memory_scene.h"
#include "widgets/theme/theme.h"
#include "widgets/timeline/segment_map_view.h"
#include "widgets/timeline/stack_groups.h"
#include "widgets/timeline/timeline_words.h"

namespace highwater::widgets {

namespace {

QString stateText(MapBlock::State state) {
    switch (state) {
        case MapBlock::State::Allocated:
            return QObject::tr("in use");
        case MapBlock::State::Waiting:
            return QObject::tr("freed, waiting for a stream");
        case MapBlock::State::Free:
            return QObject::tr("free");
    }
    return {};
}

QString ageText(const SegmentMap& map, const MapBlock& block) {
    if (block.age >= 0) {
        return QString::fromStdString(base::formatMillis(static_cast<double>(block.age) / 1000));
    }
    return map.timed ? QObject::tr("older than the recording") : QObject::tr("unknown");
}

QString segmentText(const MapSegment& segment) {
    QString text =
        QObject::tr("%1, %2").arg(bytesText(segment.size), segment.expandable ? QObject::tr("expandable")
                                                                              : QObject::tr("of fixed size"));
    if (segment.small) {
        text = QObject::tr("%1, for small blocks").arg(text);
    }
    if (segment.stream != 0) {
        text = QObject::tr("%1, stream %2").arg(text).arg(segment.stream, 0, 16);
    }
    if (!segment.pool.empty()) {
        text = QObject::tr("%1, private pool %2").arg(text, QString::fromStdString(segment.pool));
    }
    return text;
}

}  // namespace

QString blockTitle(const MapBlock& block) {
    return bytesText(block.size) + QStringLiteral(" · ") + stateText(block.state);
}

QString blockNote(const SegmentMap& map, std::uint32_t number) {
    const MapBlock& block = map.blocks[number];
    if (block.state == MapBlock::State::Free) {
        return QObject::tr("in a segment of %1").arg(bytesText(map.segmentOf(number).size));
    }
    QString note = QObject::tr("requested %1").arg(bytesText(block.requested));
    if (block.age >= 0) {
        note += QStringLiteral(" · ") + QObject::tr("allocated %1 before the end").arg(ageText(map, block));
    } else if (map.timed) {
        note += QStringLiteral(" · ") + QObject::tr("older than the recording");
    }
    return note;
}

HoverCard mapCard(const SegmentMap& map, std::uint32_t number) {
    const MapBlock& block = map.blocks[number];
    HoverCard card;
    card.title = blockTitle(block);
    if (block.state != MapBlock::State::Free) {
        if (const memory::StackFrame* best = map.stacks ? map.stacks->bestOf(block.stack) : nullptr) {
            card.rows.push_back({{}, QObject::tr("from"), QString::fromStdString(frameText(*best))});
        }
        card.rows.push_back({{}, QObject::tr("requested"), bytesText(block.requested)});
        card.rows.push_back({{}, QObject::tr("age"), ageText(map, block)});
    }
    const MapSegment& segment = map.segmentOf(number);
    card.rows.push_back({{}, QObject::tr("segment"), segmentText(segment)});
    card.rows.push_back({{}, QObject::tr("free in it"), bytesText(segment.free())});
    return card;
}

QString mapSummary(const SegmentMap& map) {
    const auto count = static_cast<std::int64_t>(map.segments.size());
    QString text =
        QObject::tr("%1 in %2 %3 · %4 in use")
            .arg(bytesText(map.reserved), countText(count),
                 count == 1 ? QObject::tr("segment") : QObject::tr("segments"), bytesText(map.allocated));
    if (map.free() > 0) {
        text += QObject::tr(" · largest free piece %1").arg(bytesText(map.largestFree));
    }
    return text;
}

std::vector<SeriesStyle> mapLegend(const SegmentMap& map) {
    const auto name = [](const QString& what, base::Bytes bytes) {
        return what + QStringLiteral(" ") + bytesText(bytes);
    };
    std::vector<SeriesStyle> entries = {
        {name(QObject::tr("in use"), map.allocated), mapColor(MapBlock::State::Allocated),
         QObject::tr("Blocks that the program holds")},
        {name(QObject::tr("free"), map.free()), mapColor(MapBlock::State::Free),
         QObject::tr("Memory that the allocator keeps for later; not available to other programs")}};
    if (map.waiting > 0) {
        entries.insert(entries.begin() + 1,
                       {name(QObject::tr("waiting"), map.waiting), mapColor(MapBlock::State::Waiting),
                        QObject::tr("Blocks that were freed while a stream still used them")});
    }
    return entries;
}

QColor mapColor(MapBlock::State state) {
    const Theme& t = theme();
    switch (state) {
        case MapBlock::State::Allocated:
            return t.accent;
        case MapBlock::State::Waiting:
            return t.warning;
        case MapBlock::State::Free:
            return t.dark ? t.border.lighter(125) : t.border.darker(106);
    }
    return t.border;
}

}  // namespace highwater::widgets
