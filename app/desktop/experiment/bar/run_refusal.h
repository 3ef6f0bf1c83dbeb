#pragma once

#include <QFrame>

#include "app/desktop/experiment/stack/document.h"

class QLabel;
class QToolButton;

namespace highwater::desktop {

/// A line below the controls that says why a valid experiment cannot be run or predicted, with a link to the
/// setting to change. Hidden if it can be, and while the stack is invalid (the stack editor shows that
/// error).
class RunRefusal : public QFrame {
    Q_OBJECT
public:
    /// The document must outlive the line.
    explicit RunRefusal(ExperimentDocument& document, QWidget* parent = nullptr);

    void setRunsOnGpu(bool gpu);
    /// Says why there is no prediction. Empty if there is one.
    void setTrouble(const QString& trouble);
    /// The visible text; empty while hidden.
    QString text() const;

signals:
    void settingWanted(const QString& pointer);  ///< a JSON pointer: "/step/precision"
    void layerWanted(int layer);                 ///< counted from 0

private:
    void refresh();
    void follow();
    void paint();
    ExperimentDocument& document_;
    bool runsOnGpu_ = false, refused_ = false;
    QString trouble_, why_;
    QLabel *mark_, *label_;
    QToolButton* show_;
};

}  // namespace highwater::desktop
