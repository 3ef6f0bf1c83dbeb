#pragma once

#include <QString>

class QGridLayout;
class QLineEdit;
class QWidget;

namespace highwater::widgets {

/// A row of a form: a name, a line for a path, and a button that chooses one.
struct PathRow {
    QString name;
    QString hint;                     ///< shown while the line is empty
    const char* folderKey = nullptr;  ///< the setting with the folder that was chosen from last
    bool folder = false;              ///< a folder is chosen, not a file
    QString filter = {};              ///< as for QFileDialog
};

/// Adds it below the rows of `grid`, whose columns are name, line and button. The grid's widgets become
/// children of `parent`.
QLineEdit* addPathRow(QGridLayout& grid, const PathRow& row, QWidget* parent);

}  // namespace highwater::widgets
