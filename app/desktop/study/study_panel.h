#pragma once

#include <QWidget>

#include "app/desktop/study/study_values.h"

class QLabel;
class QSplitter;
class QStackedWidget;

namespace highwater::desktop {

class StudyStrip;

/// A study: its setup on the left, its results or a message on the right, its progress above both.
class StudyPanel : public QWidget {
    Q_OBJECT
public:
    QSplitter& splitter() { return *splitter_; }
    /// Sets the text shown instead of results: why there are none. If empty, it says how to begin.
    void setMessage(const QString& message, bool bad = false);
    QString message() const;  ///< empty while results are shown

signals:
    void cancelRequested();

protected:
    explicit StudyPanel(QWidget* parent) : QWidget(parent) {}
    /// `widths`: those of setup and results at first.
    void build(QWidget* setup, QWidget* results, const QList<int>& widths);
    void showProgress(const StudyState& state);
    void showResults();
    bool showsProblem() const;  ///< the message is a bad one
    virtual QString howToBegin() const = 0;

private:
    StudyStrip* strip_ = nullptr;
    QLabel* message_ = nullptr;
    QStackedWidget* right_ = nullptr;
    QSplitter* splitter_ = nullptr;
};

}  // namespace highwater::desktop
