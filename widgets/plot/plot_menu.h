#pragma once

#include <QString>
#include <QStringList>
#include <functional>
#include <memory>
#include <vector>

#include "widgets/controls/table_text.h"

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

/// How the picture of a view may be saved.
enum class PictureKind { Drawing, Pixels };  ///< as PNG, SVG or PDF; as PNG only
/// Gives a view without a table of its data the actions "Copy picture" (Ctrl+C) and "Save picture…", and
/// shows them in its context menu: at a click of the right button that moves nothing, because a drag may have
/// a meaning of its own, and at the keyboard's menu key.
void offerPicture(QWidget& view, const QString& name, PictureKind kind = PictureKind::Drawing);

/// A number with the fewest digits that give back the same number. The decimal sign is always a point.
QString exactly(double value);

}  // namespace highwater::widgets
