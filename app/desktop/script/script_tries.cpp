#include "app/desktop/script/script_tries.h"

#include <QApplication>
#include <QClipboard>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QMessageBox>
#include <QPushButton>
#include <QSaveFile>
#include <QSettings>
#include <QTableWidget>
#include <QVBoxLayout>

#include "widgets/controls/flat_table.h"
#include "widgets/controls/last_folder.h"
#include "widgets/theme/panel.h"

namespace highwater::desktop {

namespace {

constexpr auto kKeptFolderKey = "script/keptFolder";
constexpr int kFitsColumn = 2, kWorkColumn = 3, kResultsColumn = 4;

}  // namespace

ScriptTries::ScriptTries(QWidget* parent) : QWidget(parent) {
    auto* layout = widgets::makeLayout<QVBoxLayout>(this, 8, {0, 8, 0, 0});
    table_ = widgets::makeFlatTable(
        {tr("change"), tr("on the device"), tr("fits"), tr("added work"), tr("results")},
        {kFitsColumn, kResultsColumn});
    table_->setObjectName("tries");
    table_->setSelectionBehavior(QAbstractItemView::SelectRows);
    table_->setSelectionMode(QAbstractItemView::SingleSelection);
    table_->setFocusPolicy(Qt::StrongFocus);
    table_->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    table_->horizontalHeader()->setSectionResizeMode(0, QHeaderView::Stretch);
    for (const int column : {0, kFitsColumn, kResultsColumn}) {
        table_->horizontalHeaderItem(column)->setTextAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    }
    table_->horizontalHeaderItem(kWorkColumn)
        ->setToolTip(tr("Recomputation in convolutions and linear layers, as a share of a step's work"));
    layout->addWidget(table_, 1);
    auto* row = widgets::makeLayout<QHBoxLayout>(nullptr, 10);
    auto* words = new QLabel(
        tr("A change is applied by a small Python file that runs the script, which stays as it is."), this);
    words->setProperty("muted", true);
    words->setWordWrap(true);
    copy_ = new QPushButton(tr("Copy the file's text"), this);
    save_ = new QPushButton(tr("Save the file…"), this);
    row->addWidget(words, 1);
    for (QPushButton* button : {copy_, save_}) {
        button->setAutoDefault(false);
        row->addWidget(button);
    }
    layout->addLayout(row);
    connect(table_, &QTableWidget::itemSelectionChanged, this, &ScriptTries::showState);
    connect(copy_, &QPushButton::clicked, this, [this] { QApplication::clipboard()->setText(fileOfRow()); });
    connect(save_, &QPushButton::clicked, this, &ScriptTries::save);
    showState();
}

void ScriptTries::clear() {
    files_.clear();
    widgets::setFlatRows(*table_, {});
    showState();
}

void ScriptTries::add(const TriedRow& row) {
    const int at = widgets::addFlatRow(*table_, widgets::RowKind::Plain, row.cells);
    for (int column = 0; column < table_->columnCount() && !row.tip.isEmpty(); ++column) {
        table_->item(at, column)->setToolTip(row.tip);
    }
    files_ << row.file;
    if (row.fits && !row.file.isEmpty() && fileOfRow().isEmpty()) {
        table_->selectRow(at);
    }
}

QString ScriptTries::fileOfRow() const {
    const auto rows = table_->selectionModel()->selectedRows();
    return rows.isEmpty() ? QString() : files_.value(rows.first().row());
}

void ScriptTries::save() {
    const QString text = fileOfRow();
    const QString path = QFileDialog::getSaveFileName(this, tr("Save the file"),
                                                      widgets::lastFolder(kKeptFolderKey) + "/train_fits.py",
                                                      tr("Python (*.py)"));
    if (path.isEmpty()) {
        return;
    }
    QSettings().setValue(kKeptFolderKey, QFileInfo(path).absolutePath());
    QSaveFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(text.toUtf8()) < 0 || !file.commit()) {
        QMessageBox::warning(this, tr("Save the file"),
                             tr("%1 could not be written: %2").arg(path, file.errorString()));
    }
}

void ScriptTries::showState() {
    const bool any = !fileOfRow().isEmpty();
    copy_->setEnabled(any);
    save_->setEnabled(any);
}

}  // namespace highwater::desktop

#include "moc_script_tries.cpp"
