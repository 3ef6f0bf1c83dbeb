#pragma once

#include <QStringList>

class QTableWidget;

/// Tables of figures in dialogs: flat rows with a hairline beneath, headings on the header's ground.
namespace highwater::desktop {

/// Headings stand out; a part belongs to the row above it.
enum class RowKind { Heading, Plain, Part };

/// An empty table that is only read. The first column holds names, the others figures, aligned right; those
/// in `words` hold text, aligned left.
QTableWidget* makeFlatTable(const QStringList& heads, const QList<int>& words = {});
/// The new row's index. Each cell's tooltip is its text.
int addFlatRow(QTableWidget& table, RowKind kind, const QStringList& cells);
/// The same for a row that is there; what does not change is left alone.
void setFlatRow(QTableWidget& table, int row, RowKind kind, const QStringList& cells);

}  // namespace highwater::desktop
