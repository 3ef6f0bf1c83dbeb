#pragma once

#include <QWidget>

#include "app/desktop/scan/patches/patch_values.h"

class QLabel;
class QProgressBar;
class QToolButton;

namespace highwater::widgets {
class ElidedLabel;
}

namespace highwater::desktop {

/// A line that shows the work in progress with a Cancel button; or why it failed, with a button to try again.
/// Hidden if there is neither.
class WorkLine : public QWidget {
    Q_OBJECT
public:
    explicit WorkLine(QWidget* parent = nullptr);
    void setState(const WorkState& state);

signals:
    void cancelRequested();
    void retryRequested();

private:
    widgets::ElidedLabel* what_;
    QProgressBar* bar_;
    QToolButton *cancel_, *retry_;
    QLabel* trouble_;
};

}  // namespace highwater::desktop
