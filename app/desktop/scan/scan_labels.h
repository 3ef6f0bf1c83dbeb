#pragma once

#include <QObject>
#include <QString>
#include <QThreadPool>
#include <filesystem>
#include <optional>

#include "app/desktop/scan/scan_loader.h"
#include "core/scan/label_table.h"
#include "core/volume/volume.h"
#include "widgets/jobs/latest_job.h"
#include "widgets/scan/label_map.h"

namespace highwater::widgets {
class ScanPanel;
}

namespace highwater::desktop {

/// The label map over the scan: that of the experiment or of the displayed case, or one that the user opened
/// for viewing, which takes precedence. Sizes and names are determined in the background.
class ScanLabels : public QObject {
    Q_OBJECT
public:
    explicit ScanLabels(widgets::ScanPanel& panel, QObject* parent = nullptr);
    ~ScanLabels() override;

    /// Sets what is shown: the scan, and its label map (empty if it has none) with the path of its file. A
    /// map that the user opened is removed if the scan's location differs from that of the scan it was opened
    /// over.
    void follow(const volume::Volume& scan, const volume::Volume& map, const QString& path);
    /// Opens a label map for viewing; the experiment is not changed.
    void open(const QString& path);
    void chooseMap(QWidget* window);    ///< shows a dialog to choose one
    void chooseNames(QWidget* window);  ///< shows a dialog to choose a file with the labels' names
    /// Uses names and colors from this file, for this map and the following ones.
    void takeNames(const QString& path);
    void remove();  ///< removes the map that the user opened

    bool busy() const { return loader_.loading() || job_.busy(); }
    /// Why the map that the user opened is not shown; empty if it is, or none was opened.
    QString problem() const { return problem_; }

signals:
    void stateChanged();
    void failed(const QString& message);

private:
    struct Map {
        volume::Volume volume;
        std::filesystem::path path;
    };
    const Map& wanted() const { return opened_.volume.empty() ? own_ : opened_; }
    void refresh();
    void start();
    void fail(const QString& message, bool users);
    widgets::ScanPanel& panel_;
    ScanLoader loader_;
    volume::Volume scan_;
    Map own_, opened_;
    std::optional<volume::Geometry> openedOver_;
    std::filesystem::path names_;       ///< chosen by the user; empty: those beside the map
    const std::byte* shown_ = nullptr;  ///< the map that was passed on, or whose labels are being counted
    bool refused_ = false;              ///< the map of shown_ is not a label map
    QString problem_;
    QThreadPool pool_;
    widgets::LatestJob job_{pool_};
};

/// The label map with sizes, names and colors, as the views show it over this scan. Reads the whole map, so
/// it must be called on a worker thread. `names`: a file with names; empty for the one beside the map. Error:
/// it is not a label map (countLabels). If only the names cannot be read, this becomes the map's warning.
base::Result<widgets::LabelMap> labelMapOf(const volume::Volume& map, const std::filesystem::path& path,
                                           const std::filesystem::path& names, const volume::Geometry& scan,
                                           const std::atomic<bool>& cancel);

}  // namespace highwater::desktop
