#pragma once

#include <QDialog>

namespace highwater::desktop {

/// File > Import a PyTorch network: the one command that makes an experiment of a network, to copy, and the
/// way on with the file that it writes.
class PytorchDialog : public QDialog {
    Q_OBJECT
public:
    explicit PytorchDialog(QWidget* parent = nullptr);

signals:
    void openWanted();
    void docsWanted(const QString& page);
};

}  // namespace highwater::desktop
