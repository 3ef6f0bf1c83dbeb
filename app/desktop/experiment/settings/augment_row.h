#pragma once

#include <QWidget>
#include <functional>

#include "core/stack/experiment.h"

class QComboBox;
class QLabel;
class QToolButton;

namespace highwater::widgets {
class CheckedEdit;
}

namespace highwater::desktop {

/// The row of one augmentation in AugmentList.
class AugmentRow : public QWidget {
    Q_OBJECT
public:
    explicit AugmentRow(int number, QWidget* parent = nullptr);
    void showValue(const stack::Augmentation& augmentation, bool first, bool last);

signals:
    void changed(const highwater::stack::Augmentation& to, const QString& what);
    void moveWanted(int by);
    void removeWanted();

protected:
    void keyPressEvent(QKeyEvent* event) override;

private:
    QToolButton* button(const QString& text, const QString& name, const QString& tip);
    void connectFields();
    void change(const QString& what, const std::function<void(stack::Augmentation&)>& change);
    stack::Augmentation shown_;
    QComboBox* kind_;
    widgets::CheckedEdit *p_, *amount_;
    QLabel* unit_;
    QToolButton *up_, *down_, *remove_;
};

}  // namespace highwater::desktop
