#include "app/desktop/run/report_file.h"

#include <QDesktopServices>
#include <QFileDialog>
#include <QFileInfo>
#include <QSettings>
#include <QUrl>

#include "widgets/controls/last_folder.h"
#include "widgets/theme/utf8.h"

namespace highwater::desktop {

namespace {

constexpr auto kReportFolder = "files/reportFolder";

/// "PDF (*.pdf)", for a file dialog.
QString dialogFilter(const report::Format& format) {
    return QStringLiteral("%1 (*%2)").arg(widgets::fromUtf8(format.name), widgets::fromUtf8(format.ending));
}

}  // namespace

SayNotice sayIn(widgets::NoticeBar& notices) {
    return [&notices](widgets::NoticeBar::Kind kind, const QString& text, const QString& action,
                      std::function<void()> act) { notices.show(kind, text, action, std::move(act)); };
}

QString askReportFile(QWidget* parent, const report::Format& format) {
    QStringList filters;
    for (const report::Format& each : report::formats()) {
        filters << dialogFilter(each);
    }
    QString chosen = dialogFilter(format);
    QString file = QFileDialog::getSaveFileName(
        parent, QObject::tr("Save report"),
        widgets::lastFolder(kReportFolder) + "/highwater-report" + widgets::fromUtf8(format.ending),
        filters.join(";;"), &chosen);
    if (file.isEmpty()) {
        return {};
    }
    if (QFileInfo(file).suffix().isEmpty()) {
        const auto index = std::max<qsizetype>(filters.indexOf(chosen), 0);
        file += widgets::fromUtf8(report::formats()[static_cast<std::size_t>(index)].ending);
    }
    QSettings().setValue(kReportFolder, QFileInfo(file).absolutePath());
    return file;
}

ReportProgress beginReport(const QString& file, SayNotice say) {
    using Kind = widgets::NoticeBar::Kind;
    auto stop = std::make_shared<std::atomic<bool>>(false);
    say(Kind::Info, QObject::tr("Writing the report…"), QObject::tr("Cancel"), [stop] { *stop = true; });
    const auto end = [file, stop, say](const QString& problem) {
        if (problem.isEmpty()) {
            say(Kind::Done, QObject::tr("Report saved: %1").arg(file), QObject::tr("Open"),
                [file] { QDesktopServices::openUrl(QUrl::fromLocalFile(file)); });
        } else if (*stop) {
            say(Kind::Info, QObject::tr("The report was not written."), {}, {});
        } else {
            say(Kind::Error, problem, {}, {});
        }
    };
    return {std::move(stop), end};
}

void writeReport(const QString& file, WriteReport write, widgets::Background& worker, QObject* context,
                 SayNotice say) {
    const ReportProgress progress = beginReport(file, std::move(say));
    worker.run(
        [write = std::move(write), path = file.toStdString(), stop = progress.stop] {
            const auto written = write(path, [stop] { return stop->load(); });
            return written ? QString() : widgets::fromUtf8(written.error().message);
        },
        context, progress.end);
}

}  // namespace highwater::desktop
