#pragma once

#include <QWidget>

#include "app/desktop/study/factorial/factorial_setup.h"
#include "app/desktop/study/study_values.h"

class QLabel;
class QSplitter;
class QStackedWidget;

namespace highwater::desktop {

class FactorialResults;
class StudyStrip;

/// A factorial: the levers to combine on the left, the results on the right. It emits requests to run and
/// runs nothing itself.
class FactorialPanel : public QWidget {
    Q_OBJECT
public:
    explicit FactorialPanel(QWidget* parent = nullptr);
    FactorialSetup& setup() { return *setup_; }
    FactorialResults& results() { return *results_; }
    QSplitter& splitter() { return *splitter_; }
    void setState(const StudyState& state);
    void setResult(const FactorialRows& rows);
    /// Sets the text shown instead of results: why there are none. If empty, the invitation to run is shown,
    /// or that the study is in progress.
    void setMessage(const QString& message, bool bad = false);
    QString message() const;

signals:
    void cancelRequested();

private:
    StudyStrip* strip_;
    FactorialSetup* setup_;
    FactorialResults* results_;
    QLabel* message_;
    QStackedWidget* right_;
    bool running_ = false;
    QSplitter* splitter_;
};

}  // namespace highwater::desktop
