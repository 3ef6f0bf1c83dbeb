#pragma once

#include <QObject>
#include <QString>
#include <optional>

#include "core/scan/cohort.h"
#include "core/scan/contents.h"
#include "widgets/jobs/latest_job.h"

namespace highwater::desktop {

/// The contents of a folder, and what can be done with them.
struct FolderView {
    QString folder;  ///< absolute
    scan::Contents contents;
    std::optional<scan::Cohort> cohort;  ///< std::nullopt if it is not a cohort
    QString whyNoCohort;
};

/// The kinds of content of a folder.
enum class FolderKind {
    OneSeries,  ///< one series and nothing else: it is opened at once
    OneFile,
    Choice,  ///< several: the user has to choose
    Cohort,  ///< no scan directly in the folder, but cases
    Nothing  ///< nothing that can be read
};
FolderKind kindOf(const FolderView& view);
/// The message that the folder contains nothing to open, and what was found instead.
QString nothingIn(const FolderView& view);

/// Lists a folder in the background. Only the latest request counts.
class ScanListing : public QObject {
    Q_OBJECT
public:
    using List = std::function<base::Result<scan::Contents>(const std::string&, const scan::ReadOptions&)>;
    explicit ScanListing(List list = scan::listScans, QObject* parent = nullptr)
        : QObject(parent), list_(std::move(list)) {}

    void look(const QString& folder);
    void cancel() { job_.cancel(); }
    bool busy() const { return job_.busy(); }

signals:
    void progress(const QString& stage, double fraction);  ///< fraction < 0 if unknown
    void found(const highwater::desktop::FolderView& view);
    void failed(const QString& message);

private:
    struct Outcome;
    List list_;
    widgets::LatestJob job_;  ///< declared last: it ends before the members that its work uses
};

}  // namespace highwater::desktop
