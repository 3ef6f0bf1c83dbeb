#pragma once

#include <QString>
#include <functional>
#include <vector>

#include "core/base/result.h"
#include "widgets/controls/table_text.h"

class QAction;

namespace highwater::widgets {

/// How a table is copied and saved, where it differs from others.
struct TableExport {
    QString name = {};  ///< suggested file name, without its ending; empty: made from the accessible name
    /// The cells, if they are not the displayed texts; like tableRows().
    std::function<std::vector<QStringList>(TablePart)> rows = {};
    bool copies = true;  ///< false: the view has its own "Copy"
};

/// Gives a table or tree the actions "Copy" (Ctrl+C: the selected rows with the headings), "Copy as Markdown"
/// and "Save as CSV…" (all rows that are shown), and shows them in its context menu. A view with a context
/// menu of its own (Qt::CustomContextMenu) adds the returned actions to it. The table can be reached by the
/// Tab key afterwards. If a file cannot be written, a message box says why.
QList<QAction*> offerTable(QAbstractItemView& view, TableExport how = {});

/// Writes the table as CSV.
base::Status saveTable(const std::vector<QStringList>& rows, const QString& file);

}  // namespace highwater::widgets
