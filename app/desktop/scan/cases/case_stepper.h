#pragma once

#include <QStringList>
#include <QWidget>

class QComboBox;
class QLabel;
class QToolButton;

namespace highwater::desktop {

/// Lets the user choose which case of a cohort the views show, from a list or with buttons for the previous
/// and the next case. Hidden if there are no cases.
class CaseStepper : public QWidget {
    Q_OBJECT
public:
    explicit CaseStepper(QWidget* parent = nullptr);
    void setCases(const QStringList& names, int current);
    int current() const;
    void step(int by);  ///< stops at the first and at the last case

signals:
    void caseChosen(int place);

private:
    void refresh();
    QComboBox* choice_;
    QLabel* of_;
    QToolButton *back_, *next_;
};

}  // namespace highwater::desktop
