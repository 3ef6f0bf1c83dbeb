#pragma once

#include <QDialog>
#include <string>
#include <vector>

#include "app/desktop/prediction/differences.h"

class QLabel;
class QPushButton;
class QTableWidget;

namespace highwater::desktop {

/// Predicted and measured by layer, as a table. Stays open while one edits, and follows.
class DifferenceDialog : public QDialog {
    Q_OBJECT
public:
    explicit DifferenceDialog(QWidget* parent = nullptr);

    void showRows(std::vector<Difference> rows, const QString& title, const std::vector<std::string>& guesses,
                  bool mayCalibrate);
    /// Why there are none.
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
