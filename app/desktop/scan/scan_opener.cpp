#include "app/desktop/scan/scan_opener.h"

#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QSettings>

#include "app/desktop/scan/recent_scans.h"
#include "app/desktop/scan/scan_page.h"
#include "app/desktop/scan/series_dialog.h"
#include "core/base/paths.h"
#include "widgets/controls/last_folder.h"
#include "widgets/scan/panel/scan_panel.h"

namespace highwater::desktop {

namespace {

constexpr auto kFolder = "files/scanFolder";

QString lastNameOf(const QString& path) {
    const QString name = QFileInfo(QDir::cleanPath(path)).fileName();
    return name.isEmpty() ? path : name;
}

QString noteOf(const scan::Contents& contents) {
    QStringList parts;
    if (!contents.unread.empty()) {
        parts << (contents.unread.size() == 1
                      ? QObject::tr("1 DICOM file cannot be read")
                      : QObject::tr("%1 DICOM files cannot be read").arg(contents.unread.size()));
    }
    if (contents.ignored > 0) {
        parts << (contents.ignored == 1 ? QObject::tr("1 other file is not a scan")
                                        : QObject::tr("%1 other files are not scans").arg(contents.ignored));
    }
    return parts.isEmpty() ? QString() : parts.join("; ") + '.';
}

}  // namespace

ScanOpener::ScanOpener(ScanPage& page, QWidget* window, ScanListing::List list)
    : QObject(&page), page_(page), window_(window), listing_(std::move(list)) {
    widgets::ScanPanel* panel = page.panel();
    connect(&listing_, &ScanListing::progress, panel, &widgets::ScanPanel::setLoading);
    connect(panel, &widgets::ScanPanel::cancelRequested, this, [this, panel] {
        if (!listing_.busy()) {
            return;
        }
        listing_.cancel();
        panel->showScan();
        emit stateChanged();
    });
    connect(&listing_, &ScanListing::found, this, [this](const FolderView& view) {
        take(view);
        emit stateChanged();
    });
    connect(&listing_, &ScanListing::failed, this, [this](const QString& message) {
        page_.refuse(message);
        emit stateChanged();
    });
    connect(&page, &ScanPage::openFailed, this, [this] { forgetScan(asked_); });
    connect(&page, &ScanPage::openRequested, this, &ScanOpener::chooseFiles);
    connect(&page, &ScanPage::filesDropped, this, &ScanOpener::openAll);
    connect(&page, &ScanPage::folderRequested, this, &ScanOpener::open);
}

SeriesDialog* ScanOpener::dialog() const {
    return dialog_;
}

void ScanOpener::chooseFiles() {
    const QStringList paths = QFileDialog::getOpenFileNames(
        window_, tr("Open scan"), widgets::lastFolder(kFolder),
        tr("Scans (*.nii *.nii.gz *.hdr *.img *.nrrd *.nhdr *.mha *.mhd *.mgh *.mgz *.dcm *.ima *.NII *.DCM "
           "*.IMA);;NIfTI, Analyze (*.nii *.nii.gz *.hdr *.img);;DICOM (*.dcm *.ima *.DCM *.IMA);;NRRD "
           "(*.nrrd *.nhdr);;MetaImage (*.mha *.mhd);;FreeSurfer (*.mgh *.mgz);;All files, also without an "
           "extension (*)"));
    if (paths.isEmpty()) {
        return;
    }
    QSettings().setValue(kFolder, QFileInfo(paths.front()).absolutePath());
    openAll(paths);
}

void ScanOpener::chooseFolder() {
    const QString folder = QFileDialog::getExistingDirectory(
        window_, tr("Open a folder of DICOM files, or of cases"), widgets::lastFolder(kFolder));
    if (folder.isEmpty()) {
        return;
    }
    QSettings().setValue(kFolder, QFileInfo(folder).absolutePath());
    open(folder);
}

void ScanOpener::open(const QString& path) {
    listing_.cancel();
    if (path.toStdString() == base::kHeadPhantom) {
        return page_.openPhantom();
    }
    const QFileInfo info(path);
    if (info.isDir()) {
        listing_.look(info.absoluteFilePath());
        emit stateChanged();
        return;
    }
    take(info.absoluteFilePath(), {{info.absoluteFilePath().toStdString(), {}, 0}});
}

void ScanOpener::openAll(const QStringList& paths) {
    QStringList files, folders;
    for (const QString& path : paths) {
        (QFileInfo(path).isDir() ? folders : files) << path;
    }
    if (paths.size() == 1) {
        return open(paths.front());
    }
    if (!folders.isEmpty()) {
        page_.refuse(tr("%1 and %2 more: drop one folder, or only files")
                         .arg(lastNameOf(folders.front()))
                         .arg(paths.size() - 1));
        return;
    }
    if (files.isEmpty()) {
        return;
    }
    files.sort();
    delete dialog_;
    dialog_ = new SeriesDialog(tr("%1 files").arg(files.size()), choicesOf(files), window_);
    dialog_->setAttribute(Qt::WA_DeleteOnClose);
    dialog_->setNote(tr("Are these the channels of one case? Then open them as channels."));
    dialog_->selectAll();
    connect(dialog_, &SeriesDialog::opened, this,
            [this](const auto& sources) { take(QString::fromStdString(sources.front().path), sources); });
    dialog_->open();
}

void ScanOpener::take(const QString& path, const std::vector<stack::ScanSource>& sources) {
    rememberScan(path);
    asked_ = path;
    page_.openScans(sources);
}

void ScanOpener::take(const FolderView& view) {
    const scan::Contents& contents = view.contents;
    const std::string folder = view.folder.toStdString();
    switch (kindOf(view)) {
        case FolderKind::OneSeries:
            return take(view.folder, {{folder, {}, 0}});
        case FolderKind::OneFile: {
            const QString file = QDir(view.folder).filePath(QString::fromStdString(contents.scans.front()));
            return take(file, {{file.toStdString(), {}, 0}});
        }
        case FolderKind::Cohort:
            rememberScan(view.folder);
            page_.panel()->showScan();
            emit cohortRequested(view.folder);
            return;
        case FolderKind::Nothing:
            return page_.refuse(nothingIn(view));
        case FolderKind::Choice:
            if (!unattended_) {
                return ask(view);
            }
            if (view.cohort && contents.series.empty() && contents.scans.size() > 1) {
                return emit cohortRequested(view.folder);
            }
            return take(view.folder, {{folder, {}, 0}});  // fails with an error that lists the choices
    }
}

void ScanOpener::ask(const FolderView& view) {
    page_.panel()->showScan();
    delete dialog_;
    dialog_ = new SeriesDialog(tr("Scans in %1").arg(lastNameOf(view.folder)), choicesOf(view), window_);
    dialog_->setAttribute(Qt::WA_DeleteOnClose);
    dialog_->setNote(noteOf(view.contents));
    if (view.cohort && view.contents.series.empty()) {
        dialog_->offerCohort(static_cast<qint64>(view.cohort->cases.size()));
    }
    connect(dialog_, &SeriesDialog::opened, this, [this, folder = view.folder](const auto& sources) {
        const bool one = sources.size() == 1 && sources.front().series.empty();
        take(one ? QString::fromStdString(sources.front().path) : folder, sources);
    });
    connect(dialog_, &SeriesDialog::cohortRequested, this, [this, folder = view.folder] {
        rememberScan(folder);
        emit cohortRequested(folder);
    });
    dialog_->open();
}

}  // namespace highwater::desktop

#include "moc_scan_opener.cpp"
