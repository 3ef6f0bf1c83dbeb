#pragma once

#include <QWidget>

#include "app/desktop/study/study_values.h"

class QProgressBar;
class QPushButton;

namespace highwater::widgets {
class ElidedLabel;
}

namespace highwater::desktop {

/// Shows what a study is doing, its progress and a Cancel button. Hidden while no study runs.
class StudyStrip : public QWidget {
    Q_OBJECT
public:
    explicit StudyStrip(QWidget* parent = nullptr);
    void setState(const StudyState& state);
    QString text() const;

signals:
    void cancelRequested();

private:
    void paintEvent(QPaintEvent* event) override;
    widgets::ElidedLabel* what_;
    QProgressBar* bar_;
    QPushButton* cancel_;
};

}  // namespace highwater::desktop
