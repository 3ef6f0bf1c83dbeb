#include <QFileDialog>
#include <QFileInfo>
#include <QSettings>

#include "app/desktop/trace/trace_window.h"
#include "widgets/controls/last_folder.h"
#include "widgets/controls/notice_bar.h"
#include "widgets/timeline/timeline_panel.h"

/// Saving the trace for other viewers.
namespace highwater::desktop {

namespace {

std::optional<capture::Format> formatOf(const QString& file) {
    const QString ending = QFileInfo(file).suffix().toLower();
    if (ending == "pickle" || ending == "pkl") {
        return capture::Format::Snapshot;
    }
    if (ending == "json") {
        return capture::Format::Chrome;
    }
    if (ending == "csv") {
        return capture::Format::Csv;
    }
    return {};
}

}  // namespace

void TraceWindow::chooseFile() {
    QString name = source_.title.section(',', 0, 0).replace(' ', '-');
    const QString file = QFileDialog::getSaveFileName(
        this, tr("Save the trace"), widgets::lastFolder("files/traceFolder") + '/' + name + "-memory.pickle",
        tr("PyTorch memory snapshot, for memory_viz (*.pickle);;Chrome trace, for Perfetto (*.json);;Table "
           "(*.csv)"));
    if (file.isEmpty()) {
        return;
    }
    QSettings().setValue("files/traceFolder", QFileInfo(file).absolutePath());
    saveTo(file);
}

void TraceWindow::saveTo(const QString& file) {
    if (!panel_->showsTrace()) {
        return;
    }
    const auto format = formatOf(file);
    if (!format) {
        notices_->show(widgets::NoticeBar::Kind::Error,
                       tr("%1: the name must end in .pickle, .json or .csv").arg(QFileInfo(file).fileName()));
        return;
    }
    notices_->show(widgets::NoticeBar::Kind::Info, tr("Saving %1…").arg(file), tr("Cancel"), [this] {
        saving_.cancel();
        notices_->show(widgets::NoticeBar::Kind::Info, tr("Not saved: cancelled."));
    });
    saving_.run(
        [trace = trace_, format = *format,
         path = file.toStdString()](const widgets::LatestJob::Cancel& cancel) {
            const auto written = capture::write(*trace, format, path, [&](double) { return !*cancel; });
            return written ? QString() : QString::fromStdString(written.error().message);
        },
        [this, file](const QString& error) {
            if (error.isEmpty()) {
                notices_->show(widgets::NoticeBar::Kind::Done, tr("Saved: %1").arg(file));
            } else {
                notices_->show(widgets::NoticeBar::Kind::Error, error);
            }
        });
}

}  // namespace highwater::desktop
