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

/// Returns whether the file is an nnU-Net plans file; false also if it cannot be read.
bool isNnunetPlans(const QString& path);
/// Fills `box` with the configurations of a plans file. Keeps the chosen one if it is there too, and
/// otherwise chooses 3d_fullres. Error: the file is not one; the box is then empty.
base::Status offerConfigurations(QComboBox& box, const QString& plans);

/// Asks for what the plans file does not contain: the configuration, the number of classes and of channels.
/// Shows what would be imported for each choice.
class NnunetDialog : public QDialog {
    Q_OBJECT
public:
    /// `gpu`: the import will be predicted for a GPU, so nnU-Net's own precision is preselected.
    NnunetDialog(const QString& path, bool gpu, QWidget* parent = nullptr);

    /// Why nothing can be imported from the file, whatever the choices; empty if something can.
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
