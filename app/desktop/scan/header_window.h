#pragma once

#include <QDialog>
#include <QThreadPool>
#include <functional>
#include <optional>

#include "core/base/result.h"
#include "core/scan/file_header.h"
#include "core/stack/experiment.h"
#include "widgets/jobs/latest_job.h"

class QLineEdit;
class QPushButton;
class QSortFilterProxyModel;
class QTableView;

namespace highwater::widgets {
class ElidedLabel;
}

namespace highwater::desktop {

class HeaderModel;

/// The header of a DICOM file of the displayed scan: tag, name, type and value of each element, with a filter
/// over all of them. The file is read in the scan process.
class HeaderWindow : public QDialog {
    Q_OBJECT
public:
    /// Sets the displayed scan, and the slice (voxel axis k) at the crosshair; an error if it has no such
    /// header.
    struct Shown {
        stack::ScanSource source;
        std::optional<std::int64_t> slice;
    };
    using WhatIsShown = std::function<base::Result<Shown>()>;
    HeaderWindow(WhatIsShown shown, QWidget* parent);
    ~HeaderWindow() override;

    /// Reads the header of the slice at the crosshair.
    void read();
    bool busy() const { return job_.busy(); }
    QString message() const;  ///< the line above the table
    QTableView& table() const { return *table_; }
    QLineEdit& filter() const { return *filter_; }

private:
    void layOut();
    void take(const base::Result<scan::FileHeader>& header);
    void refreshMessage();
    WhatIsShown shown_;
    QLineEdit* filter_;
    QPushButton* again_;
    widgets::ElidedLabel* message_;
    HeaderModel* model_;
    QSortFilterProxyModel* filtered_;
    QTableView* table_;
    QString said_;  ///< about the file, without the filter's count
    QThreadPool pool_;
    widgets::LatestJob job_{pool_};
};

}  // namespace highwater::desktop
