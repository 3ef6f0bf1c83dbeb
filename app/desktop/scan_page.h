#pragma once

#include <QObject>
#include <QString>
#include <filesystem>
#include <vector>

#include "app/desktop/scan_loader.h"
#include "core/volume/volume.h"
#include "widgets/stack/document.h"

namespace highwater::widgets {
class ScanPanel;
}

namespace highwater::desktop {

/// The right side: keeps the scan on show in step with the experiment's input.
class ScanPage : public QObject {
    Q_OBJECT
public:
    /// The head phantom lies in `samples` once it has been made.
    ScanPage(widgets::ExperimentDocument& document, std::filesystem::path samples, QObject* parent = nullptr);

    widgets::ScanPanel* panel() const { return panel_; }

    /// Puts the scan into the experiment (undoable), then loads it.
    void openScan(const QString& path);
    void openPhantom();
    void chooseScan();  ///< asks for a file
    std::string phantomPath() const;

    bool loading() const { return loader_.loading(); }
    QString problem() const { return problem_; }
    /// The volumes that the experiment's input names, channels then labels; empty while they are not loaded.
    std::vector<volume::Volume> volumesForRun() const;
    /// True when the experiment needs no scan, or its scans are loaded.
    bool ready() const;

signals:
    void stateChanged();

private:
    void follow();  // the document changed
    void showLoaded();
    void goBack();  // to the scan before the one that could not be read
    widgets::ExperimentDocument& document_;
    std::filesystem::path samples_;
    ScanLoader loader_;
    widgets::ScanPanel* panel_;
    std::vector<stack::ScanSource> wanted_;
    QString problem_;
    std::optional<stack::ScanInput> lastGood_;
};

}  // namespace highwater::desktop
