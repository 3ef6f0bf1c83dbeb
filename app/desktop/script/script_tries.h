#pragma once

#include <QWidget>

#include "app/desktop/script/script_values.h"

class QPushButton;
class QTableWidget;

namespace highwater::desktop {

/// The tab "What would help": changes that were tried, and the file that applies the selected one.
class ScriptTries : public QWidget {
    Q_OBJECT
public:
    explicit ScriptTries(QWidget* parent = nullptr);

    void clear();
    void add(const TriedRow& row);

private:
    QString fileOfRow() const;  ///< of the selected row; empty: there is none
    void save();
    void showState();

    QTableWidget* table_ = nullptr;
    QPushButton *copy_ = nullptr, *save_ = nullptr;
    QStringList files_;  ///< of each row
};

}  // namespace highwater::desktop
