#include "app/desktop/prediction/difference_dialog.h"

#include <QDialogButtonBox>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QScrollBar>
#include <QTableWidget>
#include <QVBoxLayout>
#include <algorithm>

#include "app/desktop/experiment/stack/error_words.h"
#include "core/base/text.h"
#include "widgets/controls/flat_table.h"
#include "widgets/theme/panel.h"
#include "widgets/theme/screen_size.h"

namespace highwater::desktop {

namespace {

const QString kNone = QStringLiteral("—");
constexpr int kWorkspace = 7;

QString bytesCell(const std::optional<base::Bytes>& bytes) {
    return bytes ? QString::fromStdString(base::formatBytes(*bytes)) : kNone;
}

QString millisCell(const std::optional<double>& ms) {
    return ms ? QString::fromStdString(base::formatMillis(*ms)) : kNone;
}

QString residualCell(const Difference& row) {
    const auto residual = row.residual();
    if (!residual) {
        return kNone;
    }
    if (*residual == 0) {
        return QStringLiteral("0");
    }
    return (*residual > 0 ? QStringLiteral("+") : QString()) + bytesCell(residual);
}

QString percentCell(const Difference& row) {
    const auto residual = row.residual();
    if (!residual || *row.predicted == 0) {
        return residual && *residual == 0 ? QStringLiteral("0 %") : kNone;
    }
    const double percent = 100.0 * static_cast<double>(*residual) / static_cast<double>(*row.predicted);
    if (*residual == 0) {
        return QStringLiteral("0 %");
    }
    return (percent > 0 ? QStringLiteral("+") : QString()) + QString::number(percent, 'f', 2) + " %";
}

widgets::RowKind rowKind(Difference::Kind kind) {
    return kind == Difference::Kind::Heading ? widgets::RowKind::Heading
           : kind == Difference::Kind::Total ? widgets::RowKind::Plain
                                             : widgets::RowKind::Part;
}

QStringList cells(const Difference& row) {
    if (row.kind == Difference::Kind::Heading) {
        return {row.name, {}, {}, {}, {}, {}, {}, {}, {}};
    }
    return {row.name,
            bytesCell(row.predicted),
            bytesCell(row.measured),
            residualCell(row),
            percentCell(row),
            millisCell(row.predictedMs),
            millisCell(row.measuredMs),
            row.workspace > 0 ? bytesCell(row.workspace) : kNone,
            row.why};
}

}  // namespace

DifferenceDialog::DifferenceDialog(QWidget* parent) : QDialog(parent) {
    setWindowTitle(tr("Predicted and measured by layer"));
    title_ = new QLabel(this);
    title_->setTextFormat(Qt::PlainText);
    title_->setContentsMargins(12, 10, 12, 2);
    note_ = widgets::textLabel(this);
    note_->setProperty("muted", true);
    note_->setContentsMargins(12, 4, 12, 0);
    const QStringList heads = {tr("layer"),         tr("predicted"), tr("measured"),
                               tr("residual"),      tr("in %"),      tr("time predicted"),
                               tr("time measured"), tr("workspace"), tr("why")};
    table_ = widgets::makeFlatTable(heads, {8});
    table_->horizontalHeaderItem(kWorkspace)
        ->setToolTip(tr("The largest workspace that cuDNN or cuBLAS took for the layer"));
    table_->setToolTip(tr("Residual: measured minus predicted. Double-click: select the layer."));
    table_->horizontalHeader()->setSectionResizeMode(QHeaderView::Interactive);
    table_->horizontalHeader()->setStretchLastSection(true);
    table_->horizontalHeaderItem(0)->setTextAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    const int widths[] = {190, 90, 90, 90, 72, 112, 112, 90};
    for (int column = 0; column < 8; ++column) {
        table_->setColumnWidth(column, widths[column]);
    }
    connect(table_, &QTableWidget::cellDoubleClicked, this, [this](int row) {
        if (rows_[static_cast<std::size_t>(row)].layer >= 0) {
            emit layerChosen(rows_[static_cast<std::size_t>(row)].layer);
        }
    });
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close);
    buttons->setContentsMargins(12, 0, 12, 12);
    calibrate_ = buttons->addButton(tr("Calibrate this machine…"), QDialogButtonBox::ResetRole);
    connect(calibrate_, &QPushButton::clicked, this, &DifferenceDialog::calibrationWanted);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(title_);
    layout->addWidget(table_, 1);
    layout->addWidget(note_);
    layout->addWidget(buttons);
    resize(widgets::onScreen(*this, {1120, 640}));
}

void DifferenceDialog::showRows(std::vector<Difference> rows, const QString& title,
                                const std::vector<std::string>& guesses, bool mayCalibrate) {
    calibrate_->setVisible(mayCalibrate);
    rows_ = std::move(rows);
    title_->setText(title);
    QStringList lines;
    for (const std::string& guess : guesses) {
        lines << tr("A guess: %1").arg(plainError(QString::fromStdString(guess)));
    }
    note_->setText(lines.join('\n'));
    note_->setVisible(!lines.isEmpty());
    fill();
}

void DifferenceDialog::showNothing(const QString& why) {
    rows_.clear();
    calibrate_->hide();
    title_->setText(tr("No prediction: %1").arg(why));
    note_->hide();
    fill();
}

/// Unchanged cells keep their items, so that dragging a value does not recreate thousands.
void DifferenceDialog::fill() {
    const int rows = static_cast<int>(rows_.size());
    table_->setColumnHidden(kWorkspace, std::none_of(rows_.begin(), rows_.end(), [](const Difference& row) {
                                return row.workspace > 0;
                            }));
    while (table_->rowCount() > rows) {
        table_->removeRow(table_->rowCount() - 1);
    }
    for (int r = 0; r < rows; ++r) {
        const Difference& row = rows_[static_cast<std::size_t>(r)];
        const QStringList texts = cells(row);
        if (r >= table_->rowCount()) {
            widgets::addFlatRow(*table_, rowKind(row.kind), texts);
        } else {
            widgets::setFlatRow(*table_, r, rowKind(row.kind), texts);
        }
        const int span = row.kind == Difference::Kind::Heading ? table_->columnCount() : 1;
        if (table_->columnSpan(r, 0) != span) {
            table_->setSpan(r, 0, 1, span);
        }
    }
}

}  // namespace highwater::desktop

#include "moc_difference_dialog.cpp"
