#pragma once

#include <QToolButton>

namespace highwater::widgets {

/// A tool button whose text shortens with "…" instead of demanding room.
class ElidedButton : public QToolButton {
    Q_OBJECT
public:
    using QToolButton::QToolButton;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
};

}  // namespace highwater::widgets
