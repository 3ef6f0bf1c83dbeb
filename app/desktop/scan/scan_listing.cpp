#include "app/desktop/scan/scan_listing.h"

#include <QFileInfo>
#include <algorithm>

namespace highwater::desktop {

struct ScanListing::Outcome {
    FolderView view;
    std::optional<base::Error> error;
};

FolderKind kindOf(const FolderView& view) {
    const scan::Contents& c = view.contents;
    const auto readable =
        std::count_if(c.series.begin(), c.series.end(), [](const auto& s) { return s.problem.empty(); });
    if (c.series.size() == 1 && readable == 1 && c.scans.empty() && c.unread.empty()) {
        return FolderKind::OneSeries;
    }
    if (c.series.empty() && c.scans.size() == 1 && c.unread.empty() &&
        !(view.cohort && view.cohort->cases.size() > 1)) {
        return FolderKind::OneFile;
    }
    if (!c.series.empty() || !c.scans.empty()) {
        return FolderKind::Choice;
    }
    if (view.cohort) {
        return FolderKind::Cohort;
    }
    return c.unread.empty() ? FolderKind::Nothing : FolderKind::Choice;
}

QString nothingIn(const FolderView& view) {
    const QString name = QFileInfo(view.folder).fileName();
    if (!view.whyNoCohort.isEmpty()) {
        return view.whyNoCohort;
    }
    return QObject::tr("%1: no scan in this folder; choose one with DICOM, NIfTI, NRRD or MetaImage files")
        .arg(name);
}

void ScanListing::look(const QString& folder) {
    const QString absolute = QFileInfo(folder).absoluteFilePath();
    const auto work = [this, absolute, list = list_](const widgets::LatestJob::Cancel& cancel) -> Outcome {
        Outcome outcome;
        outcome.view.folder = absolute;
        scan::ReadOptions how;
        how.cancel = cancel.get();
        how.progress = [this, &cancel](const scan::Progress& p) {
            job_.report(cancel, [this, stage = QString::fromStdString(p.stage), fraction = p.fraction] {
                emit progress(stage, fraction);
            });
        };
        auto contents = list(absolute.toStdString(), how);
        if (!contents) {
            outcome.error = contents.error();
            return outcome;
        }
        outcome.view.contents = std::move(*contents);
        auto cohort = scan::findCases(absolute.toStdString());
        if (cohort) {
            outcome.view.cohort = std::move(*cohort);
        } else {
            outcome.view.whyNoCohort = QString::fromStdString(cohort.error().message);
        }
        return outcome;
    };
    job_.run(work, [this](const Outcome& outcome) {
        if (outcome.error) {
            emit failed(QString::fromStdString(outcome.error->message));
        } else {
            emit found(outcome.view);
        }
    });
    emit progress(tr("Reading %1").arg(QFileInfo(absolute).fileName()), -1);
}

}  // namespace highwater::desktop

#include "moc_scan_listing.cpp"
