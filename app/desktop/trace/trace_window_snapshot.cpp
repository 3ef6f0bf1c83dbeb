#include <QStackedWidget>
#include <QTimer>
#include <chrono>
#include <utility>

#include "app/desktop/trace/snapshot_bar.h"
#include "app/desktop/trace/trace_window.h"
#include "widgets/controls/notice_bar.h"
#include "widgets/timeline/segment_map_view.h"
#include "widgets/timeline/segments_panel.h"
#include "widgets/timeline/timeline_panel.h"
#include "widgets/timeline/timeline_view.h"

/// How the window handles a snapshot's devices.
namespace highwater::desktop {

namespace {

constexpr std::chrono::milliseconds kSoon{400};

}  // namespace

void TraceWindow::adopt(std::shared_ptr<const ShownSnapshot> snapshot) {
    snapshot_ = std::move(snapshot);
    device_ = snapshot_->device;
    size_ = TraceSize{snapshot_->info.events, snapshot_->info.peak, {}, true};
    trace_ = snapshot_->trace;
    mapping_.cancel();
    moments_.clear();
    refreshMoments();
    segments_->setMap(snapshot_->map, moments_.front().name);
    if (trace_ && !trace_->refusals.empty() && moments_.size() > 1) {
        segments_->setMoment(1);  // afterwards, what filled the memory may have been freed
    }
    bar_->setDevices(usedDevices(snapshot_->info), snapshot_->device);
    bar_->setVisible(snapshot_->map != nullptr);
    bar_->setPages(trace_ || snapshot_->info.events > 0, snapshot_->map != nullptr);
    constexpr std::size_t kFew = 16;
    if (trace_ && snapshot_->map && trace_->events.size() < kFew) {
        bar_->setPage(SnapshotBar::Segments);  // too few events to show over time
    }
    saySomethingOf(*snapshot_);
    if (trace_) {
        panel_->setTrace(trace_);
    } else if (snapshot_->info.events > 0) {
        bar_->setPage(SnapshotBar::Timeline);
        askForRange();
    } else if (!snapshot_->map) {
        panel_->state().showMessage(tr("No allocations"), tr("The snapshot contains no device memory."));
    }
    showPage();
}

void TraceWindow::saySomethingOf(const ShownSnapshot& snapshot) {
    const bool history = snapshot.trace || snapshot.info.events > 0;
    bar_->setNote(history ? compiledNotice(snapshot)
                          : tr("No allocation history was recorded, only the state at the end."));
    if (const QString refusal = refusalNotice(snapshot); !refusal.isEmpty()) {
        notices_->show(widgets::NoticeBar::Kind::Warning, refusal, tr("Show"), [this] {
            bar_->setPage(SnapshotBar::Timeline);
            panel_->view().zoomToRefusal();
        });
    }
}

/// Lists the end, where memory ran out, the peak and the clicked moment; keeps the selected one.
void TraceWindow::refreshMoments() {
    if (!snapshot_) {
        return;
    }
    const auto shown = static_cast<std::size_t>(segments_->moment());
    const SnapshotMoment before = shown < moments_.size() ? moments_[shown] : SnapshotMoment{};
    const widgets::TraceIndex* index = panel_->showsTrace() ? panel_->index() : nullptr;
    moments_ = snapshotMoments(*snapshot_, index ? std::optional(index->peakState()) : std::nullopt,
                               panel_->view().moment());
    QStringList names;
    for (const SnapshotMoment& moment : moments_) {
        names << moment.name;
    }
    const auto kept = std::max<qsizetype>(0, names.indexOf(before.name));
    segments_->setMoments(names, static_cast<int>(kept));
    if (moments_[static_cast<std::size_t>(kept)].count != before.count) {
        showMoment();  // another moment was clicked, or the selected one no longer exists
    }
}

void TraceWindow::showMoment() {
    const SnapshotMoment moment = moments_[static_cast<std::size_t>(segments_->moment())];
    if (!moment.count) {
        mapping_.cancel();
        segments_->setMap(snapshot_->map, moment.name);
        return;
    }
    mapping_.run(
        [recorded = snapshot_->recorded, count = *moment.count](const widgets::LatestJob::Cancel& cancel) {
            return mapAt(*recorded, count, [&](double) { return !*cancel; });
        },
        [this, name = moment.name](std::shared_ptr<const widgets::SegmentMap> map) {
            if (std::exchange(saidMapping_, false)) {
                notices_->dismiss();
            }
            if (map) {
                segments_->setMap(std::move(map), name);
            }
        });
    QTimer::singleShot(kSoon, this, [this, name = moment.name] {
        if (!mapping_.busy()) {
            return;
        }
        saidMapping_ = true;
        notices_->show(widgets::NoticeBar::Kind::Info, tr("Computing the segments %1…").arg(name),
                       tr("Cancel"), [this] {
                           mapping_.cancel();
                           saidMapping_ = false;
                           notices_->dismiss();
                           segments_->setMoment(0);
                       });
    });
}

bool TraceWindow::showsSegments() const {
    return pages_->currentWidget() == segments_;
}

void TraceWindow::showPage() {
    const bool segments = bar_->page() == SnapshotBar::Segments && snapshot_ && snapshot_->map;
    pages_->setCurrentWidget(segments ? static_cast<QWidget*>(segments_) : panel_);
    if (segments) {
        segments_->view().setFocus();
    }
}

}  // namespace highwater::desktop
