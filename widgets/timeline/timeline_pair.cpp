#include "widgets/timeline/timeline_pair.h"

#include <QAction>
#include <QHBoxLayout>
#include <QVBoxLayout>
#include <algorithm>

#include "widgets/plot/plot_menu.h"
#include "widgets/theme/panel.h"
#include "widgets/theme/theme.h"
#include "widgets/timeline/overview_strip.h"
#include "widgets/timeline/timeline_view.h"
#include "widgets/timeline/timeline_words.h"

namespace highwater::widgets {

namespace {

QString captionOf(const TraceIndex& index) {
    return QObject::tr("%1 · peak %2")
        .arg(QString::fromStdString(index.trace().title), bytesText(index.totals()[index.peakState()]));
}

}  // namespace

TimelinePair::TimelinePair(QWidget* cardHost) : QSplitter(Qt::Horizontal) {
    setHandleWidth(1);
    setChildrenCollapsible(false);
    left_ = build(cardHost);
    right_ = build(cardHost);
    right_.view->setAccessibleName(tr("Memory timeline of the compared trace"));
    right_.whole->hide();
    link(left_.view, right_.view);
    link(right_.view, left_.view);
}

TimelinePair::Side TimelinePair::build(QWidget* cardHost) {
    Side side{new QWidget, new ElidedLabel, new TimelineView(cardHost), new OverviewStrip};
    auto* column = makeLayout<QVBoxLayout>(side.whole, 0);
    offerPicture(*side.view, tr("memory-timeline"));
    side.name->setFont(smallFont(font()));
    side.name->hide();
    auto* caption = makeLayout<QHBoxLayout>(nullptr, 0, {10, 0, 10, 0});
    caption->addWidget(side.name);
    column->addLayout(caption);
    column->addWidget(side.view, 1);
    column->addWidget(side.overview);
    addWidget(side.whole);
    connect(side.view, &TimelineView::rangeChanged, this, [view = side.view, overview = side.overview] {
        overview->setRange(view->range());
        overview->setMargins(view->plot().left(), view->width() - view->plot().right() - 1);
    });
    auto* const all = new QAction(tr("Show all"), side.overview);
    connect(all, &QAction::triggered, side.view, &TimelineView::showAll);
    side.overview->addAction(all);
    side.overview->setContextMenuPolicy(Qt::ActionsContextMenu);
    connect(side.overview, &OverviewStrip::rangeRequested, side.view, &TimelineView::setRange);
    return side;
}

void TimelinePair::setIndex(const std::shared_ptr<const TraceIndex>& index) {
    compare(nullptr);
    left_.overview->setIndex(index);
    left_.view->setIndex(index);
}

void TimelinePair::compare(const std::shared_ptr<const TraceIndex>& other) {
    const TraceIndex* here = left_.view->index();
    linking_ = true;
    right_.overview->setIndex(other);
    right_.view->setIndex(other);
    right_.view->setAxis(left_.view->range().axis);
    double room = 0;
    if (here && other) {
        left_.name->setText(captionOf(*here));
        right_.name->setText(captionOf(*other));
        for (const TraceIndex* index : {here, other.get()}) {
            room = std::max(room, wholeRange(*index, TimelineAxis::Time).high);
        }
        setSizes({1, 1});
    }
    for (const Side& side : {left_, right_}) {
        side.view->setRoom(room);
        side.name->setVisible(other != nullptr);
    }
    right_.whole->setVisible(other != nullptr);
    linking_ = false;
    showLayer(left_.view->shownLayer());
}

void TimelinePair::showLayer(int layer) {
    left_.view->showLayer(layer);
    const TraceIndex* other = right_.view->index();
    if (!other) {
        return;
    }
    int found = -1;
    if (const int shown = left_.view->shownLayer(); shown >= 0) {
        const auto& names = other->trace().layers;
        const auto& name = left_.view->index()->trace().layers[static_cast<std::size_t>(shown)];
        const auto at = std::find(names.begin(), names.end(), name);
        found = at == names.end() ? -1 : static_cast<int>(at - names.begin());
    }
    right_.view->showLayer(found);
}

/// Keeps the visible range of bytes the same in both.
void TimelinePair::link(TimelineView* from, TimelineView* to) {
    connect(from, &TimelineView::rangeChanged, this, [this, from, to] {
        if (linking_ || !from->index() || !to->index()) {
            return;
        }
        linking_ = true;
        to->setAxis(from->range().axis);
        TimelineRange range = to->range();
        range.low = from->range().low;
        range.high = from->range().high;
        to->setRange(range);
        linking_ = false;
    });
}

}  // namespace highwater::widgets

#include "moc_timeline_pair.cpp"
