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

ScanListing::ScanListing(List list, QObject* parent)
    : QObject(parent), list_(std::move(list)), cancel_(std::make_shared<std::atomic<bool>>(false)) {}

ScanListing::~ScanListing() {
    *cancel_ = true;
}

void ScanListing::cancel() {
    if (!busy_) {
        return;
    }
    *cancel_ = true;
    busy_ = false;
}

void ScanListing::look(const QString& folder) {
    *cancel_ = true;
    cancel_ = std::make_shared<std::atomic<bool>>(false);
    busy_ = true;
    const auto cancel = cancel_;
    const QString absolute = QFileInfo(folder).absoluteFilePath();
    const auto report = [this, cancel](const scan::Progress& p) {
        QMetaObject::invokeMethod(this,
                                  [this, cancel, stage = QString::fromStdString(p.stage), f = p.fraction] {
                                      if (cancel == cancel_ && busy_) {
                                          emit progress(stage, f);
                                      }
                                  });
    };
    const auto work = [absolute, cancel, report, list = list_]() -> Outcome {
        Outcome outcome;
        outcome.view.folder = absolute;
        scan::ReadOptions how;
        how.cancel = cancel.get();
        how.progress = report;
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
    emit progress(tr("Reading %1").arg(QFileInfo(absolute).fileName()), -1);
    worker_.run(work, this, [this, cancel](const Outcome& outcome) {
        if (cancel != cancel_ || *cancel) {
            return;  // replaced by a newer request, or cancelled
        }
        busy_ = false;
        if (outcome.error) {
            emit failed(QString::fromStdString(outcome.error->message));
        } else {
            emit found(outcome.view);
        }
    });
}

}  // namespace highwater::desktop

#include "moc_scan_listing.cpp"
