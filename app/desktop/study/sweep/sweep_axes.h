#pragma once

#include <QScrollArea>
#include <vector>

#include "widgets/theme/panel.h"

class QLabel;
class QLineEdit;
class QToolButton;
class QVBoxLayout;

namespace highwater::widgets {
class SearchPopup;
}

namespace highwater::desktop {

/// An axis of a sweep as edited: values at places of the experiment, or a toggle, off and on.
struct SweepAxisEdit {
    QString name;
    QStringList paths;  ///< JSON Pointers
    QString values;     ///< "1, 2, 4"; JSON, or words
    QString toggle;     ///< instead of paths and values
    bool operator==(const SweepAxisEdit&) const = default;
};

/// An axis that can be added.
struct SweepOffer {
    QString title;  ///< "Batch size · 1, 2, 4", "kernel_size of layer 3 · conv · 3"
    SweepAxisEdit axis;
    QString tip;
    QString whyNot = {};  ///< why it cannot be added; empty if it can
};

/// The axes of a sweep with their values, which can be edited, removed and added.
class SweepAxes : public QScrollArea {
    Q_OBJECT
public:
    explicit SweepAxes(QWidget* parent = nullptr);
    void setAxes(std::vector<SweepAxisEdit> axes);
    const std::vector<SweepAxisEdit>& axes() const { return axes_; }
    /// Adds an axis and puts the cursor into its field.
    void add(SweepAxisEdit axis);
    /// Adds the axis, or puts the cursor into the field of the one with the same paths.
    void addOrEdit(const SweepAxisEdit& axis);
    /// Marks the axis that is wrong; none if -1.
    void setProblem(int axis, const QString& problem);
    void setLocked(bool locked);
    QLineEdit* valuesOf(int axis) const;  ///< nullptr for a toggle
    QLineEdit* pathOf(int axis) const;    ///< nullptr unless the axis was added as a JSON Pointer

signals:
    void changed();

private:
    struct Row {
        QWidget* widget = nullptr;
        QLineEdit *path = nullptr, *values = nullptr;
        QWidget* remove = nullptr;
    };
    void build();
    Row makeRow(std::size_t axis);
    void orderTabs();
    void removeAxis(std::size_t axis);
    std::vector<SweepAxisEdit> axes_;
    std::vector<Row> rows_;
    QVBoxLayout* column_;
    QLabel* hint_;
    bool locked_ = false;
};

/// The axes under a title, with a button that opens the list of those that can be added.
class AxesPanel : public widgets::Panel {
    Q_OBJECT
public:
    AxesPanel(const QString& title, QWidget* parent);
    /// A JSON Pointer can always be added, too.
    void setOffers(std::vector<SweepOffer> offers);
    SweepAxes& axes() { return *axes_; }
    QToolButton& addButton() { return *add_; }
    widgets::SearchPopup& list() { return *list_; }

signals:
    void offersWanted();  ///< the list is about to open

private:
    SweepAxes* axes_;
    QToolButton* add_;
    widgets::SearchPopup* list_;
    std::vector<SweepOffer> offers_;
};

}  // namespace highwater::desktop
