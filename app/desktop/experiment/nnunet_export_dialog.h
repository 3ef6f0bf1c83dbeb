#pragma once

#include <QDialog>
#include <QProcess>
#include <filesystem>

class QCheckBox;
class QComboBox;
class QGridLayout;
class QLabel;
class QLineEdit;
class QPlainTextEdit;
class QProgressBar;
class QPushButton;

namespace highwater::desktop {

/// The dialog "nnU-Net in less memory": from a plans file, plans a training for a GPU and writes the plans
/// file and the trainer with which nnU-Net trains so. highwater-cli does it; what it prints, with the
/// commands for the training, is shown.
class NnunetExportDialog : public QDialog {
    Q_OBJECT
public:
    /// `program`: highwater-cli; empty: the one beside this program. (Tests use other programs.)
    explicit NnunetExportDialog(std::filesystem::path program = {}, QWidget* parent = nullptr);
    ~NnunetExportDialog() override;

    bool running() const { return process_.state() != QProcess::NotRunning; }
    void start();
    void stop();

private:
    void makeFields(QGridLayout& grid);
    QWidget* makeFoot();
    void restore();
    void keep() const;
    QStringList arguments() const;
    void finish(int exitCode, QProcess::ExitStatus status);
    void showState();

    std::filesystem::path program_;
    QProcess process_;
    bool stopped_ = false;
    QWidget* fields_ = nullptr;
    QLineEdit *plans_ = nullptr, *folder_ = nullptr, *budget_ = nullptr, *name_ = nullptr;
    QComboBox *configuration_ = nullptr, *gpu_ = nullptr;
    QCheckBox* parts_ = nullptr;
    QLabel* headline_ = nullptr;
    QPlainTextEdit* output_ = nullptr;
    QProgressBar* progress_ = nullptr;
    QPushButton *copy_ = nullptr, *start_ = nullptr;
};

}  // namespace highwater::desktop
