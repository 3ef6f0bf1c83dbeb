#include "widgets/controls/path_row.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>

#include "widgets/controls/last_folder.h"

namespace highwater::widgets {

QLineEdit* addPathRow(QGridLayout& grid, const PathRow& row, QWidget* parent) {
    const int at = grid.rowCount();
    auto* label = new QLabel(row.name, parent);
    auto* line = new QLineEdit(parent);
    line->setPlaceholderText(row.hint);
    label->setBuddy(line);
    auto* choose = new QPushButton(QObject::tr("Choose…"), parent);
    choose->setAccessibleName(QObject::tr("Choose: %1").arg(row.name));
    choose->setAutoDefault(false);
    QObject::connect(choose, &QPushButton::clicked, parent, [parent, line, row] {
        const QString from = line->text().isEmpty() ? lastFolder(row.folderKey) : line->text();
        const QString chosen = row.folder ? QFileDialog::getExistingDirectory(parent, row.name, from)
                                          : QFileDialog::getOpenFileName(parent, row.name, from, row.filter);
        if (!chosen.isEmpty()) {
            QSettings().setValue(row.folderKey, QFileInfo(chosen).absolutePath());
            line->setText(chosen);
        }
    });
    grid.addWidget(label, at, 0);
    grid.addWidget(line, at, 1);
    grid.addWidget(choose, at, 2);
    return line;
}

}  // namespace highwater::widgets
