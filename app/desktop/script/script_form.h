#pragma once

#include <QWidget>

#include "app/desktop/script/script_values.h"

class QCheckBox;
class QComboBox;
class QGridLayout;
class QLineEdit;
class QSpinBox;

namespace highwater::desktop {

/// The fields of the dialog "Your script", which are kept between launches.
class ScriptForm : public QWidget {
    Q_OBJECT
public:
    /// `store` is the folder of the runs.
    ScriptForm(QString store, QWidget* parent);

    ScriptFields fields() const;
    QString gpuName() const;
    /// Why no GPU can be chosen; empty if one can be.
    const QString& problem() const { return problem_; }
    void keep() const;  ///< stores the fields as settings

private:
    void makePaths(QGridLayout& grid);
    void makeChoices(QGridLayout& grid);
    void restore();
    void followRanks();

    QString store_, problem_;
    QLineEdit *script_ = nullptr, *arguments_ = nullptr, *variables_ = nullptr, *python_ = nullptr,
              *folder_ = nullptr;
    QComboBox* gpu_ = nullptr;
    QSpinBox *ranks_ = nullptr, *steps_ = nullptr;
    QCheckBox *timed_ = nullptr, *all_ = nullptr;
};

}  // namespace highwater::desktop
