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

/// The strip above a snapshot: selects which of its devices is shown, and in which view.
class SnapshotBar : public QWidget {
    Q_OBJECT
public:
    enum Page { Timeline, Segments };
    explicit SnapshotBar(QWidget* parent = nullptr);

    /// The devices to choose from, and the one that is shown.
    void setDevices(const std::vector<capture::SnapshotDevice>& devices, std::int64_t shown);
    /// Sets which pages exist. If the selected page does not, the other one is selected.
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
    QLabel* only_;  // shown in its place if there is only one device
    QTabBar* pages_;
    widgets::ElidedLabel* note_;
};

}  // namespace highwater::desktop
