#pragma once

#include <QWidget>

#include "core/capture/capture.h"

class QComboBox;
class QLabel;
class QTabBar;

namespace highwater::widgets {
class ElidedLabel;
}

namespace highwater::desktop {

/// The strip above a snapshot: which of its devices is shown, and as what.
class SnapshotBar : public QWidget {
    Q_OBJECT
public:
    enum Page { Timeline, Segments };
    explicit SnapshotBar(QWidget* parent = nullptr);

    /// The devices to choose from, and the one that is shown.
    void setDevices(const std::vector<capture::SnapshotDevice>& devices, std::int64_t shown);
    /// Which pages there are. If the chosen one is not, the other is chosen.
    void setPages(bool timeline, bool segments);
    Page page() const;
    void setPage(Page page);
    void setNote(const QString& note);
    QString note() const;
    QComboBox& devices() { return *devices_; }

signals:
    void deviceChosen(std::int64_t device);
    void pageChosen();

private:
    QComboBox* devices_;
    QLabel* only_;  // in its place if there is one device
    QTabBar* pages_;
    widgets::ElidedLabel* note_;
};

}  // namespace highwater::desktop
