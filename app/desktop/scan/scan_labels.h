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

/// The label map over the scan: that of the experiment or of the case on show, or one that the user opened to
/// look at, which goes before the others. Sizes and names are found in the background.
class ScanLabels : public QObject {
    Q_OBJECT
public:
    explicit ScanLabels(widgets::ScanPanel& panel, QObject* parent = nullptr);
    ~ScanLabels() override;

    /// What is on show: the scan, and its label map (empty if it has none) with the path of its file. A map
    /// that the user opened is taken away if the scan lies elsewhere than the one that it was opened over.
    void follow(const volume::Volume& scan, const volume::Volume& map, const QString& path);
    /// Opens a label map to look at; the experiment is not changed.
    void open(const QString& path);
    void chooseMap(QWidget* window);    ///< shows a dialog to choose one
    void chooseNames(QWidget* window);  ///< shows a dialog to choose a file with the labels' names
    /// Takes names and colors from this file, for this map and the next ones.
    void takeNames(const QString& path);
    void remove();  ///< takes the map away that the user opened

    bool busy() const { return loader_.loading() || job_.busy(); }
    /// Why the map that the user opened is not on show; empty if it is, or none was opened.
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
    std::filesystem::path names_;       ///< that the user chose; empty: those beside the map
    const std::byte* shown_ = nullptr;  ///< the map that was passed on, or is being counted
    bool refused_ = false;              ///< the map of shown_ is no label map
    QString problem_;
    QThreadPool pool_;
    widgets::LatestJob job_{pool_};
};

/// The label map with sizes, names and colors, as the views show it over this scan. Reads the whole map, so
/// it must be called on a worker thread. `names`: a file with names; empty for the one beside the map.
/// Errors: it is no label map (countLabels); the names alone cannot be read: that is the map's warning.
base::Result<widgets::LabelMap> labelMapOf(const volume::Volume& map, const std::filesystem::path& path,
                                           const std::filesystem::path& names, const volume::Geometry& scan,
                                           const std::atomic<bool>& cancel);

}  // namespace highwater::desktop
