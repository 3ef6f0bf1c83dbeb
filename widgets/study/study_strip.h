#pragma once

#include <QWidget>

#include "widgets/study/study_values.h"

class QProgressBar;
class QPushButton;

namespace highwater::widgets {

class ElidedLabel;

/// What a study does now, how far it is, and the way to end it. Hidden while nothing runs.
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
    ElidedLabel* what_;
    QProgressBar* bar_;
    QPushButton* cancel_;
};

}  // namespace highwater::widgets
