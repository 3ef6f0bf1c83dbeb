#pragma once

#include <QDialog>

#include "app/desktop/cases/cases_values.h"
#include "widgets/jobs/latest_job.h"

class QCheckBox;
class QComboBox;
class QGridLayout;
class QLabel;
class QLineEdit;
class QProgressBar;
class QPushButton;
class QTableWidget;

namespace highwater::desktop {

/// The dialog "Will these cases fit?": for each scan of a folder, the GPU and host memory that nnU-Net's
/// inference needs, by the plans and the scans' headers.
class CasesDialog : public QDialog {
    Q_OBJECT
public:
    explicit CasesDialog(QWidget* parent = nullptr);

    bool busy() const { return job_.busy(); }
    void start();
    void stop();
    QTableWidget& table() { return *table_; }

private:
    void makeFields(QGridLayout& grid);
    QWidget* makeFoot();
    void readSettings();
    void writeSettings() const;
    CasesFields fields() const;
    void showFound(const CasesFound& found);
    void showState();
    void copy() const;

    QLineEdit *plans_ = nullptr, *folder_ = nullptr, *host_ = nullptr;
    QComboBox *configuration_ = nullptr, *gpu_ = nullptr;
    QCheckBox *onDevice_ = nullptr, *mirror_ = nullptr;
    QLabel *headline_ = nullptr, *advice_ = nullptr, *state_ = nullptr;
    QTableWidget* table_ = nullptr;
    QProgressBar* progress_ = nullptr;
    QPushButton *start_ = nullptr, *copy_ = nullptr;
    widgets::LatestJob job_;
};

}  // namespace highwater::desktop
