#pragma once

#include <QObject>
#include <QPointer>
#include <QStringList>

#include "app/desktop/scan/scan_listing.h"
#include "core/stack/experiment.h"

namespace highwater::desktop {

class ScanPage;
class SeriesDialog;

/// Opens what the user chooses as a scan: a file, several files, a folder of DICOM files or of cases. Asks if
/// there are several choices.
class ScanOpener : public QObject {
    Q_OBJECT
public:
    /// `list` is scan::listScans; tests replace it.
    ScanOpener(ScanPage& page, QWidget* window, ScanListing::List list = scan::listScans);

    void chooseFiles();   ///< shows a dialog to choose files
    void chooseFolder();  ///< shows a dialog to choose a folder
    /// Opens a file, or looks into a folder.
    void open(const QString& path);
    /// Opens several files. Asks whether they are channels of one case, or which one is wanted.
    void openAll(const QStringList& paths);
    /// Sets whether there is nobody to answer questions. Then the first choice that needs no answer is taken,
    /// or the reader's own error is shown.
    void setUnattended(bool on) { unattended_ = on; }

    bool loading() const { return listing_.busy(); }
    SeriesDialog* dialog() const;  ///< the dialog that is open; nullptr if none is

signals:
    void stateChanged();
    void cohortRequested(const QString& folder);

private:
    void take(const FolderView& view);
    void ask(const FolderView& view);
    void take(const QString& path, const std::vector<stack::ScanSource>& sources);
    ScanPage& page_;
    QWidget* window_;
    ScanListing listing_;
    QPointer<SeriesDialog> dialog_;
    QString asked_;  ///< the path to remember for the scan that was opened last
    bool unattended_ = false;
};

}  // namespace highwater::desktop
