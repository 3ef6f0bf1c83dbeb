#pragma once

#include <QDialog>

namespace highwater::desktop {

/// File > Import a PyTorch network: the command that converts a network to an experiment, to copy, and a
/// button that opens the file it writes.
class PytorchDialog : public QDialog {
    Q_OBJECT
public:
    explicit PytorchDialog(QWidget* parent = nullptr);

signals:
    void openWanted();
    void scriptWanted();  ///< to run the training script, which may be compiled
    void docsWanted(const QString& page);
};

}  // namespace highwater::desktop
