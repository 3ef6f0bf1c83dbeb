#pragma once

#include <QString>
#include <QStringList>
#include <vector>

class QAbstractItemView;

/// Tables as text for a clipboard or a file.
namespace highwater::widgets {

enum class TablePart { All, Selected };

/// The cells of a table or tree as they are displayed and sorted, the headings first (left out if the view
/// shows none). Hidden rows and columns are left out, as are columns without any text. A row of a tree begins
/// with the names of its parents: "encoder / 3 conv". Selected: the rows with a selected cell; all rows if
/// there are none.
std::vector<QStringList> tableRows(const QAbstractItemView& view, TablePart part = TablePart::All);

/// One line for each row, with tabs between the cells. A tab or line break inside a cell becomes a space. By
/// convention the first row names the columns and their units.
QString tabbed(const std::vector<QStringList>& rows);
/// A Markdown table; the first row is its heading.
QString markdownTable(const std::vector<QStringList>& rows);
/// CSV (RFC 4180) in UTF-8. A spreadsheet takes no cell for a formula (base::csvField).
QByteArray csvTable(const std::vector<QStringList>& rows);

}  // namespace highwater::widgets
