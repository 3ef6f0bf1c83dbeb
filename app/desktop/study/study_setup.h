#pragma once

#include <QWidget>
#include <utility>
#include <vector>

#include "app/desktop/study/study_values.h"

class QLabel;
class QPushButton;
class QSpinBox;
class QVBoxLayout;

namespace highwater::desktop {

/// What the setups of a factorial and of a sweep share: fields, the number of runs, an estimate of the time,
/// and Run.
class StudySetup : public QWidget {
    Q_OBJECT
public:
    /// An estimate of the duration; empty while it is unknown.
    void setEstimate(const QString& estimate, const QString& tip = {});

signals:
    void choiceChanged();

protected:
    explicit StudySetup(QWidget* parent) : QWidget(parent) {}
    QSpinBox* spin(const char* name, int low, int high, int value, const QString& tip);
    /// The lower part of the setup: the fields with their labels, then count, estimate and `run`.
    QVBoxLayout* makeFoot(const std::vector<std::pair<QString, QWidget*>>& fields, QPushButton* run);
    QLabel *count_ = nullptr, *estimate_ = nullptr;
    QPushButton* run_ = nullptr;
    StudyState state_;
    QString problem_;
};

}  // namespace highwater::desktop
