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
        const auto events = std::llround(length);
        return (events == 1 ? QObject::tr("%1 event") : QObject::tr("%1 events")).arg(countText(events));
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
    return (index.trace().timed ? QStringLiteral("%1·s") : QObject::tr("%1·events")).arg(bytesText(bytes));
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
    return index.trace().isGuessed(block) ? QObject::tr("%1, guessed").arg(name) : name;
}

QString refusalText(const memory::TraceRefusal& refusal) {
    const QString asked = QObject::tr("out of memory: %1 were requested").arg(bytesText(refusal.asked));
    return refusal.free < 0 ? asked : QObject::tr("%1, %2 were free").arg(asked, bytesText(refusal.free));
}

QString whenText(const TraceIndex& index, std::size_t state) {
    const QString event =
        QObject::tr("event %1").arg(countText(index.trace().firstEvent + static_cast<std::int64_t>(state)));
    if (!index.trace().timed) {
        return event;
    }
    return lengthText(index, index.begin(TimelineAxis::Time, state)) + QStringLiteral(" · ") + event;
}

QString layerText(const memory::Trace& trace, int layer) {
    return layer < 0 || layer >= static_cast<int>(trace.layers.size())
               ? QObject::tr("no layer")
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
    return index.trace().guessed.empty() ? phaseText(phase)
                                         : QObject::tr("%1 (guessed)").arg(phaseText(phase));
}

memory::Phase phaseAt(const TraceIndex& index, std::size_t state) {
    const auto& events = index.trace().events;
    return events.empty() ? memory::Phase::Setup : events[state == 0 ? 0 : state - 1].phase;
}

QString stepName(const memory::Trace& trace, int index) {
    return index < trace.warmup ? QObject::tr("warm-up %1").arg(index + 1)
                                : QObject::tr("step %1").arg(index + 1 - trace.warmup);
}

namespace {

/// "step 3" and so on, counted from 1; empty before the first step.
QString stepText(const TraceIndex& index, std::size_t state) {
    const auto& steps = index.trace().steps;
    const auto after = std::partition_point(steps.begin(), steps.end(),
                                            [&](const memory::TraceStep& s) { return s.event < state; });
    if (after == steps.begin()) {
        return {};
    }
    return stepName(index.trace(), (after - 1)->index);
}

QString phaseOfStep(const QString& phase, const QString& step) {
    return step.isEmpty() ? phase : QObject::tr("%1 of %2").arg(phase, step);
}

}  // namespace

QString placeInStep(const TraceIndex& index, std::size_t state) {
    return phaseOfStep(phaseText(index, phaseAt(index, state)), stepText(index, state));
}

HoverCard blockCard(const TraceIndex& index, std::uint32_t block) {
    const memory::Trace& trace = index.trace();
    const BlockLife& life = index.life(block);
    HoverCard card;
    card.title = bytesText(index.bytes(block)) + QStringLiteral(" · ") + categoryText(index, block);
    card.note = layerText(trace, life.layer);
    const QString label = labelText(trace, block);
    if (!label.isEmpty()) {
        card.rows.push_back(row(QObject::tr("from"), label, theme().of(life.category)));
    }
    card.rows.push_back(row(QObject::tr("phase"),
                            life.begin == 0
                                ? QObject::tr("before the trace")
                                : phaseOfStep(phaseText(index, life.phase), stepText(index, life.begin))));
    card.rows.push_back(
        row(QObject::tr("begins"), life.begin == 0 ? QObject::tr("before") : whenText(index, life.begin)));
    const bool stays = life.end >= index.states();
    card.rows.push_back(
        row(QObject::tr("ends"), stays ? QObject::tr("after the trace") : whenText(index, life.end)));
    QString length = lengthText(index, index.length(index.axis(TimelineAxis::Time), block));
    if (trace.timed) {
        length += QStringLiteral(" · ") + QObject::tr("%1 events").arg(countText(life.end - life.begin));
    }
    card.rows.push_back(row(QObject::tr("lives"), stays ? QObject::tr("at least %1").arg(length) : length));
    const base::Bytes reserved = trace.blocks[block].reserved;
    if (reserved != index.bytes(block)) {
        card.rows.push_back(row(QObject::tr("reserved for it"), bytesText(reserved)));
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
    card.title = (count == 1 ? QObject::tr("%1 allocation too short to draw")
                             : QObject::tr("%1 allocations too short to draw"))
                     .arg(countText(count));
    card.note = QObject::tr("%1 together; zoom in to tell them apart").arg(bytesText(small));
    card.rows.push_back(
        row(categoryName(category), bytesText(index.ledgerAt(state)[category]), theme().of(category)));
    card.rows.push_back(row(QObject::tr("at"), whenText(index, state)));
    return card;
}

HoverCard refusalCard(const TraceIndex& index, std::size_t refusal) {
    const memory::TraceRefusal& each = index.trace().refusals[refusal];
    HoverCard card;
    card.title = QObject::tr("out of memory");
    card.note = QObject::tr("%1; click for its call stack").arg(whenText(index, each.event));
    card.rows.push_back(row(QObject::tr("asked for"), bytesText(each.asked), theme().bad));
    if (each.free >= 0) {
        card.rows.push_back(row(QObject::tr("free on the device"), bytesText(each.free)));
    }
    card.rows.push_back(row(QObject::tr("in use"), bytesText(index.totals()[each.event])));
    if (const base::Bytes reserved = reservedAt(index.trace(), each.event); reserved >= 0) {
        card.rows.push_back(row(QObject::tr("reserved"), bytesText(reserved), reservedColor()));
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
        card.rows.push_back(row(QObject::tr("reserved"), bytesText(reserved), reservedColor()));
    }
    card.note = whenText(index, state) + QStringLiteral(" · ") + placeInStep(index, state);
    for (auto c = memory::kCategories.rbegin(); c != memory::kCategories.rend(); ++c) {
        if (ledger[*c] > 0) {
            card.rows.push_back(row(categoryName(*c), bytesText(ledger[*c]), theme().of(*c)));
        }
    }
    return card;
}

}  // namespace highwater::widgets
