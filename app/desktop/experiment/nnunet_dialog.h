#pragma once

#include <QDialog>
#include <optional>

#include "core/stack/nnunet/nnunet.h"

class QCheckBox;
class QComboBox;
class QLabel;
class QPushButton;
class QSpinBox;

namespace highwater::desktop {

/// Whether the file is a plans file of nnU-Net; false also where it cannot be read.
bool isNnunetPlans(const QString& path);

/// What the plans file leaves open: the configuration, classes, channels. Shows what would be imported while
/// one chooses.
class NnunetDialog : public QDialog {
    Q_OBJECT
public:
    /// `gpu`: what is imported is predicted for a GPU, so that nnU-Net's own precision is the first choice.
    NnunetDialog(const QString& path, bool gpu, QWidget* parent = nullptr);

    /// Why nothing of the file can be imported, whatever is chosen; empty where something can.
    const QString& problem() const { return problem_; }
    const std::optional<stack::NnunetImport>& imported() const { return imported_; }

private:
    void fillConfigurations();
    void reimport();
    QString summary() const;
    QString path_, problem_;
    std::optional<stack::NnunetImport> imported_;
    QComboBox *configuration_, *precision_;
    QSpinBox *classes_, *channels_;
    QCheckBox* deep_;
    QLabel* summary_;
    QPushButton* import_;
};

}  // namespace highwater::desktop
