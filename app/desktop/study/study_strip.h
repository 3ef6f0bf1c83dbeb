#pragma once

#include <QWidget>

#include "app/desktop/study/study_values.h"

class QProgressBar;
class QPushButton;

namespace highwater::widgets {
class ElidedLabel;
}

namespace highwater::desktop {

/// Shows the activity and progress of a study, with a Cancel button. Hidden while no study is running.
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
