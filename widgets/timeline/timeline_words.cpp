#include "widgets/timeline/timeline_words.h"

#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "widgets/plot/plot_values.h"
#include "widgets/theme/theme.h"

namespace highwater::widgets {

namespace {

constexpr std::size_t kMostName = 60;

QString number(double value) {
    const double size = std::abs(value);
    return QString::number(value, 'f', size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2);
}

QString text(const std::string& from) {
    return QString::fromStdString(base::oneLine(from, kMostName));
}

HoverCard::Row row(const QString& name, const QString& value, const QColor& color = {}) {
    return {color, name, value};
}

}  // namespace

QString countText(std::int64_t count) {
    QString digits = QString::number(count);
    for (qsizetype at = digits.size() - 3; at > (count < 0 ? 1 : 0); at -= 3) {
        digits.insert(at, ',');
    }
    return digits;
}

QString lengthText(const TraceIndex& index, double length) {
    if (!index.trace().timed) {
        return countText(std::llround(length)) + (std::llround(length) == 1 ? " event" : " events");
    }
    if (length < 1000) {
        return number(length).remove(".00") + " ns";
    }
    if (length < 1e6) {
        return number(length / 1e3) + QStringLiteral(" µs");
    }
    return QString::fromStdString(base::formatMillis(length / 1e6));
}

QString byteTimeText(const TraceIndex& index, double byteTime) {
    const double limit = 9.0e18;
    const auto bytes = static_cast<base::Bytes>(std::clamp(byteTime, -limit, limit));
    return bytesText(bytes) + (index.trace().timed ? QStringLiteral("·s") : QStringLiteral("·events"));
}

QString shortName(const QString& title) {
    constexpr qsizetype begin = 10, end = 8;
    QString name = title;
    name.remove(QStringLiteral(".pickle")).remove(QStringLiteral(".pkl"));
    return name.size() <= begin + end + 1 ? name : name.left(begin) + QStringLiteral("…") + name.right(end);
}

QString signedBytes(base::Bytes bytes) {
    return bytes == 0  ? QStringLiteral("0")
           : bytes > 0 ? "+" + bytesText(bytes)
                       : QStringLiteral("−") + bytesText(-bytes);
}

QString categoryText(const TraceIndex& index, std::uint32_t block) {
    const QString name = categoryName(index.life(block).category);
    return index.trace().isGuessed(block) ? name + QStringLiteral(", guessed") : name;
}

QString refusalText(const memory::TraceRefusal& refusal) {
    const QString asked = QStringLiteral("out of memory: %1 were requested").arg(bytesText(refusal.asked));
    return refusal.free < 0 ? asked : asked + QStringLiteral(", %1 were free").arg(bytesText(refusal.free));
}

QString whenText(const TraceIndex& index, std::size_t state) {
    const QString event =
        QStringLiteral("event ") + countText(index.trace().firstEvent + static_cast<std::int64_t>(state));
    if (!index.trace().timed) {
        return event;
    }
    return lengthText(index, index.begin(TimelineAxis::Time, state)) + QStringLiteral(" · ") + event;
}

QString layerText(const memory::Trace& trace, int layer) {
    return layer < 0 || layer >= static_cast<int>(trace.layers.size())
               ? QStringLiteral("no layer")
               : text(trace.layers[static_cast<std::size_t>(layer)]);
}

QString labelText(const memory::Trace& trace, std::uint32_t block) {
    const std::int32_t label = trace.blocks[block].label;
    return label < 0 ? QString() : text(trace.labels[static_cast<std::size_t>(label)]);
}

QString phaseText(memory::Phase phase) {
    return phaseName(static_cast<int>(phase) - 1);
}

QString phaseText(const TraceIndex& index, memory::Phase phase) {
    return index.trace().guessed.empty() ? phaseText(phase) : phaseText(phase) + QStringLiteral(" (guessed)");
}

memory::Phase phaseAt(const TraceIndex& index, std::size_t state) {
    const auto& events = index.trace().events;
    return events.empty() ? memory::Phase::Setup : events[state == 0 ? 0 : state - 1].phase;
}

QString stepName(const memory::Trace& trace, int index) {
    return index < trace.warmup ? QStringLiteral("warm-up %1").arg(index + 1)
                                : QStringLiteral("step %1").arg(index + 1 - trace.warmup);
}

QString stepText(const TraceIndex& index, std::size_t state) {
    const auto& steps = index.trace().steps;
    const auto after = std::partition_point(steps.begin(), steps.end(),
                                            [&](const memory::TraceStep& s) { return s.event < state; });
    if (after == steps.begin()) {
        return {};
    }
    return stepName(index.trace(), (after - 1)->index);
}

HoverCard blockCard(const TraceIndex& index, std::uint32_t block) {
    const memory::Trace& trace = index.trace();
    const BlockLife& life = index.life(block);
    HoverCard card;
    card.title = bytesText(index.bytes(block)) + QStringLiteral(" · ") + categoryText(index, block);
    card.note = layerText(trace, life.layer);
    const QString label = labelText(trace, block);
    if (!label.isEmpty()) {
        card.rows.push_back(row("from", label, theme().of(life.category)));
    }
    const QString step = life.begin > 0 ? stepText(index, life.begin) : QString();
    card.rows.push_back(row("phase", life.begin == 0 ? QStringLiteral("before the trace")
                                                     : phaseText(index, life.phase) +
                                                           (step.isEmpty() ? QString() : " of " + step)));
    card.rows.push_back(
        row("begins", life.begin == 0 ? QStringLiteral("before") : whenText(index, life.begin)));
    const bool stays = life.end >= index.states();
    card.rows.push_back(row("ends", stays ? QStringLiteral("after the trace") : whenText(index, life.end)));
    QString length = lengthText(index, index.length(index.axis(TimelineAxis::Time), block));
    if (trace.timed) {
        length += QStringLiteral(" · %1 events").arg(countText(life.end - life.begin));
    }
    card.rows.push_back(row("lives", (stays ? QStringLiteral("at least ") : QString()) + length));
    const base::Bytes reserved = trace.blocks[block].reserved;
    if (reserved != index.bytes(block)) {
        card.rows.push_back(row("reserved for it", bytesText(reserved)));
    }
    return card;
}

HoverCard bandCard(const TraceIndex& index, const TimelinePicture& picture, memory::Category category,
                   std::size_t state) {
    const auto place = static_cast<std::size_t>(category);
    base::Bytes small = index.ledgerAt(state)[category];
    std::int64_t count = index.countsAt(state)[place];
    for (const std::uint32_t s : picture.layout.shown) {
        const Span& span = index.spans()[s];
        if (span.begin <= state && state < span.end && span.category == category) {
            small -= index.bytes(span.block);
            --count;
        }
    }
    HoverCard card;
    card.title = QStringLiteral("%1 %2").arg(
        countText(count), count == 1 ? "allocation too short to draw" : "allocations too short to draw");
    card.note = QStringLiteral("%1 together; zoom in to tell them apart").arg(bytesText(small));
    card.rows.push_back(
        row(categoryName(category), bytesText(index.ledgerAt(state)[category]), theme().of(category)));
    card.rows.push_back(row("at", whenText(index, state)));
    return card;
}

HoverCard refusalCard(const TraceIndex& index, std::size_t refusal) {
    const memory::TraceRefusal& each = index.trace().refusals[refusal];
    HoverCard card;
    card.title = QStringLiteral("out of memory");
    card.note = whenText(index, each.event) + QStringLiteral("; click for its call stack");
    card.rows.push_back(row("asked for", bytesText(each.asked), theme().bad));
    if (each.free >= 0) {
        card.rows.push_back(row("free on the device", bytesText(each.free)));
    }
    card.rows.push_back(row("in use", bytesText(index.totals()[each.event])));
    if (const base::Bytes reserved = reservedAt(index.trace(), each.event); reserved >= 0) {
        card.rows.push_back(row("reserved", bytesText(reserved), reservedColor()));
    }
    return card;
}

base::Bytes reservedAt(const memory::Trace& trace, std::size_t state) {
    const auto& marks = trace.reserved;
    const auto after = std::partition_point(
        marks.begin(), marks.end(), [&](const memory::TraceReserved& mark) { return mark.event <= state; });
    return after == marks.begin() ? -1 : (after - 1)->bytes;
}

QColor reservedColor() {
    return theme().device[2];
}

HoverCard stateCard(const TraceIndex& index, std::size_t state) {
    const memory::Ledger ledger = index.ledgerAt(state);
    HoverCard card;
    card.title = bytesText(ledger.total());
    if (const base::Bytes reserved = reservedAt(index.trace(), state); reserved >= 0) {
        card.rows.push_back(row("reserved", bytesText(reserved), reservedColor()));
    }
    const QString step = stepText(index, state);
    card.note = whenText(index, state) + QStringLiteral(" · ") + phaseText(index, phaseAt(index, state)) +
                (step.isEmpty() ? QString() : QStringLiteral(" of ") + step);
    for (auto c = memory::kCategories.rbegin(); c != memory::kCategories.rend(); ++c) {
        if (ledger[*c] > 0) {
            card.rows.push_back(row(categoryName(*c), bytesText(ledger[*c]), theme().of(*c)));
        }
    }
    return card;
}

}  // namespace highwater::widgets
