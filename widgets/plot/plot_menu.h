#pragma once

#include <QString>
#include <QStringList>
#include <functional>
#include <memory>
#include <vector>

class QMenu;
class QWidget;

namespace highwater::widgets {

/// The chart that a context menu acts on.
struct PlotActions {
    QWidget& chart;                 ///< the widget to take a picture of; it must outlive the menu
    QString name;                   ///< the suggested file name, without its ending
    std::function<QString()> data;  ///< makes the table for the clipboard (see tabbed())
    std::function<void()> reset;    ///< zooms out to the whole range of all axes
};

/// A menu with "Copy picture", "Copy data", "Save picture…" and "Reset view". Saving asks for a file name. If
/// the file cannot be written, a message box says why in one line.
std::unique_ptr<QMenu> makePlotMenu(const PlotActions& actions);

/// A table as text: one line for each row, with tabs between the cells. A tab or line break inside a cell
/// becomes a space. By convention the first row names the columns and their units.
QString tabbed(const std::vector<QStringList>& rows);
/// A number with the fewest digits that give back the same number. The decimal sign is always a point.
QString exactly(double value);

}  // namespace highwater::widgets
