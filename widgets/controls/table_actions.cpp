#include "widgets/controls/table_actions.h"

#include <QAbstractItemView>
#include <QAction>
#include <QClipboard>
#include <QFileDialog>
#include <QFileInfo>
#include <QGuiApplication>
#include <QMessageBox>
#include <QRegularExpression>

#include "core/base/file.h"
#include "widgets/controls/last_folder.h"

namespace highwater::widgets {

namespace {

constexpr auto kTableFolder = "files/tableFolder";

QString fileNameOf(const QAbstractItemView& view, const QString& given) {
    QString name = given.isEmpty() ? view.accessibleName() : given;
    name = name.toLower().replace(QRegularExpression("[^\\w]+"), "-");
    name.remove(QRegularExpression("^-+|-+$"));
    return name.isEmpty() ? QStringLiteral("table") : name;
}

void saveTableAs(QAbstractItemView& view, const QString& name, const std::vector<QStringList>& rows) {
    const QString title = QObject::tr("Save table");
    QString file = QFileDialog::getSaveFileName(&view, title, lastFolder(kTableFolder) + '/' + name + ".csv",
                                                QObject::tr("Table (*.csv)"));
    if (file.isEmpty()) {
        return;
    }
    if (QFileInfo(file).suffix().isEmpty()) {
        file += ".csv";
    }
    QSettings().setValue(kTableFolder, QFileInfo(file).absolutePath());
    if (const auto saved = saveTable(rows, file); !saved) {
        QMessageBox::warning(&view, title, QString::fromStdString(saved.error().message));
    }
}

}  // namespace

QList<QAction*> offerTable(QAbstractItemView& view, TableExport how) {
    if (!how.rows) {
        how.rows = [&view](TablePart part) { return tableRows(view, part); };
    }
    QList<QAction*> actions;
    const auto add = [&](const QString& text, const QString& tip, auto act) {
        auto* const action = new QAction(text, &view);
        action->setToolTip(tip);
        QObject::connect(action, &QAction::triggered, &view, act);
        view.addAction(action);
        actions << action;
        return action;
    };
    if (how.copies) {
        QAction* const copy = add(
            QObject::tr("Copy"), QObject::tr("The selected rows, or all if none is"),
            [rows = how.rows] { QGuiApplication::clipboard()->setText(tabbed(rows(TablePart::Selected))); });
        copy->setShortcut(QKeySequence::Copy);
        copy->setShortcutContext(Qt::WidgetShortcut);
    }
    add(QObject::tr("Copy as Markdown"), QObject::tr("All rows, as a Markdown table"),
        [rows = how.rows] { QGuiApplication::clipboard()->setText(markdownTable(rows(TablePart::All))); });
    add(QObject::tr("Save as CSV…"), QObject::tr("All rows, for a spreadsheet"),
        [&view, rows = how.rows, name = how.name] {
            saveTableAs(view, fileNameOf(view, name), rows(TablePart::All));
        });
    if (view.contextMenuPolicy() == Qt::DefaultContextMenu) {
        view.setContextMenuPolicy(Qt::ActionsContextMenu);
    }
    if (view.focusPolicy() == Qt::NoFocus) {
        view.setFocusPolicy(Qt::StrongFocus);
        view.setTabKeyNavigation(false);
    }
    return actions;
}

base::Status saveTable(const std::vector<QStringList>& rows, const QString& file) {
    const QByteArray text = csvTable(rows);
    return base::writeFileAtomically(file.toStdString(),
                                     {text.constData(), static_cast<std::size_t>(text.size())});
}

}  // namespace highwater::widgets
