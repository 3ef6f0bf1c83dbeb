#pragma once

#include <QDialog>
#include <string>
#include <vector>

#include "app/desktop/prediction/differences.h"

class QLabel;
class QPushButton;
class QTableWidget;

namespace highwater::desktop {

/// A table that compares predictions with measurements, by layer. It stays open while the user edits, and is
/// updated.
class DifferenceDialog : public QDialog {
    Q_OBJECT
public:
    explicit DifferenceDialog(QWidget* parent = nullptr);

    void showRows(std::vector<Difference> rows, const QString& title, const std::vector<std::string>& guesses,
                  bool mayCalibrate);
    /// Shows why there are no rows.
    void showNothing(const QString& why);

signals:
    void calibrationWanted();
    void layerChosen(int layer);

private:
    void fill();
    std::vector<Difference> rows_;
    QLabel *title_, *note_;
    QTableWidget* table_;
    QPushButton* calibrate_;
};

}  // namespace highwater::desktop
