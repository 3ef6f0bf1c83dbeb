#pragma once

#include <QStringList>

class QTableWidget;

/// Tables of figures in dialogs: flat rows with a hairline below, and headings.
namespace highwater::widgets {

/// Heading: a row that stands out. Part: a row that belongs to the row above it.
enum class RowKind { Heading, Plain, Part };

/// Makes an empty table that is read only. The first column holds names; the others hold figures, aligned
/// right. The columns in `words` hold text, aligned left. It can be copied and saved (offerTable).
QTableWidget* makeFlatTable(const QStringList& heads, const QList<int>& words = {});
/// Adds a row and returns its index. The tooltip of a cell is its text.
int addFlatRow(QTableWidget& table, RowKind kind, const QStringList& cells);
/// Replaces all rows.
void setFlatRows(QTableWidget& table, const QList<QStringList>& rows);
/// Changes an existing row. Unchanged cells are left alone.
void setFlatRow(QTableWidget& table, int row, RowKind kind, const QStringList& cells);

/// The figures by which a row is sorted, one for each cell; NaN: by its text. For a table with sorting
/// enabled, which must be switched off while rows are added.
void setFlatNumbers(QTableWidget& table, int row, const QList<double>& numbers);

}  // namespace highwater::widgets
