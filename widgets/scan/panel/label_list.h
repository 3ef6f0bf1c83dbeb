#pragma once

#include <QWidget>

class QCheckBox;
class QSlider;
class QToolButton;
class QTreeWidget;
class QTreeWidgetItem;

namespace highwater::widgets {

class ElidedLabel;
class ScanScene;

/// The labels over the scan: which are shown, their colors, names and sizes, and how opaque they are. A
/// double click (or Enter) on a label puts the crosshair into it.
class LabelList : public QWidget {
    Q_OBJECT
public:
    explicit LabelList(ScanScene& scene, QWidget* parent = nullptr);

    /// Sets whether the user can remove the map, which is so if it was opened only for viewing.
    void setRemovable(bool on);
    /// Takes less room: two labels, without the line below them.
    void setCompact(bool on);

signals:
    void namesRequested();  ///< the user wants to choose a file with names
    void removeRequested();

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void layOut();
    void refresh();
    void fill();
    void fitRows();
    void takeCheck(QTreeWidgetItem* item);
    void goTo(QTreeWidgetItem* item);
    ScanScene& scene_;
    QCheckBox *visible_, *surfaces_;
    QSlider* opacity_;
    QToolButton *all_, *none_, *names_, *remove_;
    QTreeWidget* list_;
    ElidedLabel *source_, *warning_;
    bool compact_ = false;
};

}  // namespace highwater::widgets
