#include "app/desktop/prediction/snapshot_dialog.h"

#include <QFileInfo>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QSplitter>
#include <QTableWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/desktop/experiment/stack/error_words.h"
#include "app/desktop/experiment/target/predictor.h"
#include "app/desktop/experiment/target/targets.h"
#include "core/base/text.h"
#include "core/capture/capture.h"
#include "core/predict/recorded/recorded_text.h"
#include "widgets/controls/flat_table.h"
#include "widgets/theme/panel.h"
#include "widgets/theme/screen_size.h"
#include "widgets/theme/tab_order.h"
#include "widgets/theme/utf8.h"

namespace highwater::desktop {

namespace {

constexpr int kEditMs = 150;  ///< an edit has ended

using Rows = std::vector<std::vector<std::string>>;

/// A table with the columns of the first row.
QTableWidget* makeTable(const Rows& rows, const QList<int>& words, const QList<int>& widths) {
    QStringList heads = widgets::fromUtf8(rows.front());
    QTableWidget* table = widgets::makeFlatTable(heads, words);
    table->horizontalHeader()->setSectionResizeMode(QHeaderView::Interactive);
    table->horizontalHeader()->setStretchLastSection(true);
    table->horizontalHeaderItem(0)->setTextAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    for (int column = 0; column < widths.size(); ++column) {
        table->setColumnWidth(column, widths[column]);
    }
    return table;
}

void fill(QTableWidget& table, const Rows& rows) {
    QList<QStringList> texts;
    for (std::size_t r = 1; r < rows.size(); ++r) {
        QStringList cells = widgets::fromUtf8(rows[r]);
        texts << cells;
    }
    widgets::setFlatRows(table, texts);
}

QString deviceNameOf(const predict::Target& target) {
    return QObject::tr("%1 with LibTorch %2 and cuDNN %3")
        .arg(widgets::fromUtf8(target.gpu->name),
             widgets::fromUtf8(predict::toText(target.versions.libtorch)),
             widgets::fromUtf8(predict::toText(target.versions.cudnn)));
}

}  // namespace

SnapshotDialog::SnapshotDialog(ExperimentDocument& document, const TargetField& targets, const QString& path,
                               QWidget* parent)
    : QDialog(parent), document_(document), path_(path) {
    setWindowTitle(tr("Calibrate from %1").arg(QFileInfo(path).fileName()));
    auto* layout = widgets::makeLayout<QVBoxLayout>(this, 10, {16, 14, 16, 14});
    layout->addLayout(makeFields(targets));
    lines_ = widgets::textLabel(this);
    lines_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    layout->addWidget(lines_);
    makeTables();
    layout->addWidget(split_, 1);
    layout->addStretch();
    layout->addWidget(makeFoot());
    later_.setSingleShot(true);
    later_.setInterval(kEditMs);
    connect(&later_, &QTimer::timeout, this, &SnapshotDialog::compare);
    widgets::pressOnlyFocusedButtons(*this);
    resize(widgets::onScreen(*this, {900, 680}));
    read();
}

SnapshotDialog::~SnapshotDialog() {
    *cancel_ = true;
}

QLayout* SnapshotDialog::makeFields(const TargetField& targets) {
    auto* row = widgets::makeLayout<QHBoxLayout>(nullptr, 10);
    target_ = new TargetField(this);
    target_->setMinimumWidth(240);
    auto* label = new QLabel(tr("Recorded on"), this);
    label->setProperty("muted", true);
    row->addWidget(label);
    row->addWidget(target_);
    row->addWidget(target_->versions());
    row->addStretch(1);
    offerVersions(*target_);
    target_->setTargets(targets.targets());
    target_->setChoice(targets.choice());
    showDefaultCudnn(*target_);
    connect(target_, &TargetField::changed, this, [this] {
        showDefaultCudnn(*target_);
        experimentChanged();
    });
    return row;
}

void SnapshotDialog::makeTables() {
    const predict::RecordedComparison none;
    kinds_ = makeTable(predict::kindRows(none), {4}, {170, 96, 96, 150});
    kinds_->setObjectName("kinds");
    workspaces_ = makeTable(predict::workspaceRows(none, {}), {1, 3}, {180, 120, 240, 130});
    workspaces_->setObjectName("workspaces");
    split_ = new QSplitter(Qt::Vertical, this);
    split_->setChildrenCollapsible(false);
    split_->addWidget(kinds_);
    split_->addWidget(workspaces_);
    split_->hide();
}

QWidget* SnapshotDialog::makeFoot() {
    auto* foot = new QWidget(this);
    auto* row = widgets::makeLayout<QHBoxLayout>(foot, 10);
    foot_ = new QLabel(this);
    foot_->setProperty("muted", true);
    foot_->setWordWrap(true);
    progress_ = new QProgressBar(this);
    progress_->setRange(0, 1000);
    progress_->setTextVisible(false);
    progress_->setFixedSize(160, 8);
    cancelButton_ = new QPushButton(tr("Cancel"), this);
    auto* timeline = new QPushButton(tr("Timeline"), this);
    timeline->setToolTip(tr("Opens the snapshot in a separate window"));
    keep_ = new QPushButton(tr("Keep as measured"), this);
    keep_->setProperty("primary", true);
    auto* close = new QPushButton(tr("Close"), this);
    row->addWidget(foot_, 1);
    row->addWidget(progress_);
    row->addWidget(cancelButton_);
    row->addWidget(timeline);
    row->addWidget(keep_);
    row->addWidget(close);
    connect(cancelButton_, &QPushButton::clicked, this, [this] { *cancel_ = true; });
    connect(timeline, &QPushButton::clicked, this, [this] { emit timelineWanted(path_); });
    connect(keep_, &QPushButton::clicked, this, &SnapshotDialog::keep);
    connect(close, &QPushButton::clicked, this, &QDialog::close);
    return foot;
}

void SnapshotDialog::setBusy(bool busy, const QString& what) {
    busy_ = busy;
    progress_->setVisible(busy);
    cancelButton_->setVisible(busy);
    keep_->setEnabled(false);
    foot_->setText(what);
}

void SnapshotDialog::read() {
    setBusy(true, tr("Reading the snapshot…"));
    cancel_ = std::make_shared<std::atomic<bool>>(false);
    const auto progress = [this, cancel = cancel_](double done) {
        QMetaObject::invokeMethod(
            this, [this, done] { progress_->setValue(static_cast<int>(done * 1000)); }, Qt::QueuedConnection);
        return !*cancel;
    };
    worker_.run(
        [file = path_.toStdString(), progress] { return capture::readSnapshot(file, {}, progress); }, this,
        [this](base::Result<memory::Trace> read) {
            setBusy(false);
            if (!read) {
                return say(*cancel_ ? tr("Reading was cancelled.") : widgets::fromUtf8(read.error().message));
            }
            recording_ = std::make_shared<const memory::Trace>(std::move(*read));
            compare();
        });
}

void SnapshotDialog::experimentChanged() {
    if (recording_) {
        keep_->setEnabled(false);
        later_.start();
    }
}

void SnapshotDialog::compare() {
    later_.stop();
    const TargetChoice choice = target_->choice();
    if (choice.id == "cpu") {
        return say(
            tr("Choose the GPU on which the snapshot was recorded, and its versions of LibTorch and "
               "cuDNN."));
    }
    const auto& info = document_.info();
    if (!info) {
        return say(plainError(info.error()));
    }
    setBusy(true, tr("Comparing…"));
    progress_->setRange(0, 0);
    *cancel_ = true;  // cancels the previous comparison
    cancel_ = std::make_shared<std::atomic<bool>>(false);
    const auto work = [experiment = document_.experiment(), info = *info, choice, recording = recording_,
                       cancel = cancel_] {
        Answer answer;
        answer.info = info;
        const auto target = targetOf(choice, experiment);
        if (!target) {
            answer.problem = plainError(target.error());
            return answer;
        }
        answer.target = *target;
        auto compared = predict::compareWithRecording(experiment, info, *target, *recording, cancel.get());
        if (compared) {
            answer.comparison = std::move(*compared);
        } else {
            answer.problem = *cancel ? tr("The comparison was cancelled.") : plainError(compared.error());
        }
        return answer;
    };
    worker_.run(work, this, [this, asked = ++asked_](Answer answer) {
        if (asked == asked_) {
            take(std::move(answer));
        }
    });
}

void SnapshotDialog::take(Answer answer) {
    progress_->setRange(0, 1000);
    if (!answer.comparison) {
        return say(answer.problem);
    }
    setBusy(false);
    answer_ = std::move(answer);
    const predict::RecordedComparison& comparison = *answer_->comparison;
    QStringList lines = widgets::fromUtf8(predict::comparisonLines(comparison, answer_->info));
    lines_->setText(lines.join('\n'));
    split_->show();
    fill(*kinds_, predict::kindRows(comparison));
    fill(*workspaces_, predict::workspaceRows(comparison, answer_->info));
    const std::size_t rows = predict::measuredRows(comparison, answer_->target).size();
    keep_->setEnabled(rows > 0);
    foot_->setText(
        rows > 0 ? tr("%1 can be kept as measured on the %2.")
                       .arg(widgets::fromUtf8(base::counted(static_cast<std::int64_t>(rows), "workspace")),
                            deviceNameOf(answer_->target))
                 : QString());
}

/// Shows what is wrong instead of a comparison.
void SnapshotDialog::say(const QString& problem) {
    setBusy(false);
    answer_.reset();
    lines_->setText(problem);
    split_->hide();
}

void SnapshotDialog::keep() {
    if (!answer_) {
        return;
    }
    const predict::GpuTable rows = predict::measuredRows(*answer_->comparison, answer_->target);
    const auto kept = predict::keepMeasured(rows, predict::gpuTableFolders().front());
    if (!kept) {
        foot_->setText(widgets::fromUtf8(kept.error().message));
        return;
    }
    foot_->setText(
        tr("%1 kept: predictions for the %2 use them.")
            .arg(widgets::fromUtf8(base::counted(static_cast<std::int64_t>(rows.size()), "workspace")),
                 deviceNameOf(answer_->target)));
    keep_->setEnabled(false);
    emit this->kept();
}

}  // namespace highwater::desktop

#include "moc_snapshot_dialog.cpp"
