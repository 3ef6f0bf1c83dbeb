#pragma once

#include <QString>
#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>

#include "core/report/report.h"
#include "widgets/controls/notice_bar.h"
#include "widgets/jobs/background.h"

/// Reports of runs, predictions, plans and studies on their way to a file.
namespace highwater::desktop {

/// Shows a notice, as NoticeBar::show does.
using SayNotice = std::function<void(widgets::NoticeBar::Kind kind, const QString& text,
                                     const QString& action, std::function<void()> act)>;
SayNotice sayIn(widgets::NoticeBar& notices);

/// Asks for the name of a file, whose ending is that of a format; `format` is offered first. Empty if the
/// user cancelled.
QString askReportFile(QWidget* parent, const report::Format& format = report::formats().front());

/// A report that is being written, as the user sees it: a notice, with which it can be stopped, and at the
/// end another one.
struct ReportProgress {
    std::shared_ptr<std::atomic<bool>> stop;
    std::function<void(const QString& problem)> end;  ///< without a problem, the report was saved
};
ReportProgress beginReport(const QString& file, SayNotice say);

using WriteReport = std::function<base::Status(const std::filesystem::path& file, const report::Stop& stop)>;
/// Writes a report on the worker's thread, as long as `context` exists.
void writeReport(const QString& file, WriteReport write, widgets::Background& worker, QObject* context,
                 SayNotice say);

}  // namespace highwater::desktop
