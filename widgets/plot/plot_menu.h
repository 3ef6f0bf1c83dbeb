#pragma once

#include <QString>
#include <QStringList>
#include <functional>
#include <memory>
#include <vector>

class QMenu;
class QWidget;

namespace highwater::widgets {

/// A chart, as its context menu needs it.
struct PlotActions {
    QWidget& chart;                 ///< what a picture shows; outlives the menu
    QString name;                   ///< of the file that is suggested, without its ending
    std::function<QString()> data;  ///< as tabbed() makes it
    std::function<void()> reset;    ///< shows the whole of all axes
};

/// Copy picture, copy data, save picture, reset view. Saving asks for the file's name, and says in one line
/// why it failed.
std::unique_ptr<QMenu> makePlotMenu(const PlotActions& actions);

/// A table as text: a row a line, its cells between tabs (a tab or line break within a cell becomes a space).
/// The first row names the columns and their units; numbers have a point in every locale.
QString tabbed(const std::vector<QStringList>& rows);
/// A number with as many digits as tell it from all others.
QString exactly(double value);

}  // namespace highwater::widgets
