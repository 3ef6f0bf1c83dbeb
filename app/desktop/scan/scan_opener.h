#pragma once

#include <QObject>
#include <QPointer>
#include <QStringList>

#include "app/desktop/scan/scan_listing.h"
#include "core/stack/experiment.h"

namespace highwater::desktop {

class ScanPage;
class SeriesDialog;

/// Opens what users name as a scan: a file, several, a folder of DICOM files or of cases. Asks where there is
/// something to choose.
class ScanOpener : public QObject {
    Q_OBJECT
public:
    /// `list` is scan::listScans; tests give another.
    ScanOpener(ScanPage& page, QWidget* window, ScanListing::List list = scan::listScans);

    void chooseFiles();   ///< asks for files
    void chooseFolder();  ///< asks for a folder
    /// A file is opened, a folder looked into.
    void open(const QString& path);
    /// Several files are channels of one case, or one of them is wanted: that is asked.
    void openAll(const QStringList& paths);
    /// Nobody is there to choose: the first choice that needs no answer is taken, or the reader's own error.
    void setUnattended(bool on) { unattended_ = on; }

    bool loading() const { return listing_.busy(); }
    SeriesDialog* dialog() const;  ///< open now; null: none

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
    bool unattended_ = false;
};

}  // namespace highwater::desktop
