#pragma once

#include <QElapsedTimer>
#include <QWidget>

#include "app/desktop/study/study_values.h"

class QLabel;
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
    QString timeLeft(const StudyState& state);
    widgets::ElidedLabel* what_;
    QLabel* left_;
    QElapsedTimer since_;  ///< the start of the study that is running; invalid if none is
    QProgressBar* bar_;
    QPushButton* cancel_;
};

}  // namespace highwater::desktop
