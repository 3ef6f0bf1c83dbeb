#include <QStackedWidget>

#include "app/desktop/trace/snapshot_bar.h"
#include "app/desktop/trace/trace_window.h"
#include "app/desktop/window/notice_bar.h"
#include "widgets/timeline/segment_map_view.h"
#include "widgets/timeline/segments_panel.h"
#include "widgets/timeline/timeline_panel.h"
#include "widgets/timeline/timeline_view.h"

/// What the window does with a snapshot's devices.
namespace highwater::desktop {

void TraceWindow::adopt(std::shared_ptr<const ShownSnapshot> snapshot) {
    snapshot_ = std::move(snapshot);
    device_ = snapshot_->device;
    size_ = TraceSize{snapshot_->info.events, snapshot_->info.peak, {}, true};
    trace_ = snapshot_->trace;
    segments_->setMap(snapshot_->map);
    bar_->setDevices(usedDevices(snapshot_->info), snapshot_->device);
    bar_->setVisible(snapshot_->map != nullptr);
    bar_->setPages(trace_ || snapshot_->info.events > 0, snapshot_->map != nullptr);
    constexpr std::size_t kFew = 16;
    if (trace_ && snapshot_->map && trace_->events.size() < kFew) {
        bar_->setPage(SnapshotBar::Segments);  // there is nothing to see over time
    }
    saySomethingOf(*snapshot_);
    if (trace_) {
        panel_->setTrace(trace_);
    } else if (snapshot_->info.events > 0) {
        bar_->setPage(SnapshotBar::Timeline);
        askForRange();
    } else if (!snapshot_->map) {
        panel_->state().showMessage(tr("No allocations"), tr("The snapshot holds nothing of any device."));
    }
    showPage();
}

void TraceWindow::saySomethingOf(const ShownSnapshot& snapshot) {
    const bool history = snapshot.trace || snapshot.info.events > 0;
    bar_->setNote(history ? QString()
                          : tr("No history was recorded for this device: only what there was at the end."));
    if (const QString refusal = refusalNotice(snapshot); !refusal.isEmpty()) {
        notices_->show(NoticeBar::Kind::Warning, refusal, tr("Show"), [this] {
            bar_->setPage(SnapshotBar::Timeline);
            panel_->view().zoomToRefusal();
        });
    }
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
