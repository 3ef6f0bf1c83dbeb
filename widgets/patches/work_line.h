#pragma once

#include <QWidget>

#include "widgets/patches/patch_values.h"

class QLabel;
class QProgressBar;
class QToolButton;

namespace highwater::widgets {

class ElidedLabel;

/// What is being made, how far it is, and the way to end it; or why nothing came of it, and the way to try
/// again. Hidden where there is neither.
class WorkLine : public QWidget {
    Q_OBJECT
public:
    explicit WorkLine(QWidget* parent = nullptr);
    void setState(const WorkState& state);

signals:
    void cancelRequested();
    void retryRequested();

private:
    ElidedLabel* what_;
    QProgressBar* bar_;
    QToolButton *cancel_, *retry_;
    QLabel* trouble_;
};

}  // namespace highwater::widgets
