#pragma once

#include <QStringList>
#include <QWidget>

class QComboBox;
class QLabel;
class QToolButton;

namespace highwater::widgets {

/// Which case of a cohort is in the views: a list, and the one before and after. Hidden without cases.
class CaseStepper : public QWidget {
    Q_OBJECT
public:
    explicit CaseStepper(QWidget* parent = nullptr);
    void setCases(const QStringList& names, int current);
    int current() const;
    void step(int by);  ///< stops at the first and at the last

signals:
    void caseChosen(int place);

private:
    void refresh();
    QComboBox* choice_;
    QLabel* of_;
    QToolButton *back_, *next_;
};

}  // namespace highwater::widgets
