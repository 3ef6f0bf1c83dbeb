#include "widgets/scan/panel/scan_message.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "widgets/theme/panel.h"

namespace highwater::widgets {
namespace {

QLabel* centeredLabel(const char* name, QWidget* parent) {
    auto* const label = textLabel(parent);
    label->setObjectName(name);
    label->setAlignment(Qt::AlignCenter);
    return label;
}

}  // namespace

ScanMessage::ScanMessage(QWidget* parent) : QWidget(parent) {
    title_ = centeredLabel("scanMessageTitle", this);
    QFont bold = title_->font();
    bold.setWeight(QFont::DemiBold);
    title_->setFont(bold);
    text_ = centeredLabel("scanMessageText", this);
    text_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    progress_ = new QProgressBar(this);
    progress_->setTextVisible(false);
    progress_->setFixedHeight(8);
    progress_->setMaximumWidth(260);
    open_ = new QPushButton(tr("Open a scan…"), this);
    sample_ = new QPushButton(tr("Open the sample"), this);
    cancel_ = new QPushButton(tr("Cancel"), this);
    back_ = new QPushButton(tr("Back to the scan"), this);

    auto* const buttons = new QHBoxLayout;
    buttons->addStretch();
    for (QPushButton* button : {open_, sample_, cancel_, back_}) {
        buttons->addWidget(button);
    }
    buttons->addStretch();
    auto* const bar = new QHBoxLayout;
    bar->addStretch();
    bar->addWidget(progress_, 1);
    bar->addStretch();
    auto* const layout = makeLayout<QVBoxLayout>(this, 12, {24, 24, 24, 24});
    layout->addStretch();
    layout->addWidget(title_);
    layout->addWidget(text_);
    layout->addLayout(bar);
    layout->addLayout(buttons);
    layout->addStretch();

    connect(open_, &QPushButton::clicked, this, &ScanMessage::openRequested);
    connect(sample_, &QPushButton::clicked, this, &ScanMessage::sampleRequested);
    connect(cancel_, &QPushButton::clicked, this, &ScanMessage::cancelRequested);
    connect(back_, &QPushButton::clicked, this, &ScanMessage::backRequested);
    showEmpty();
}

void ScanMessage::show(const QString& title, const QString& text, const QList<QWidget*>& parts) {
    title_->setText(title);
    text_->setText(text);
    text_->setVisible(!text.isEmpty());
    for (QWidget* part : std::initializer_list<QWidget*>{progress_, open_, sample_, cancel_, back_}) {
        part->setVisible(parts.contains(part));
    }
}

void ScanMessage::showEmpty() {
    open_->setText(tr("Open a scan…"));
    show(tr("Drop a scan here"),
         tr("a file (NIfTI, DICOM, NRRD, MetaImage, Analyze) or a folder of DICOM slices; or open the "
            "sample: a CT-like head made by Highwater"),
         {open_, sample_});
}

void ScanMessage::showLoading(const QString& text, double fraction) {
    const bool known = std::isfinite(fraction) && fraction >= 0;
    progress_->setRange(0, known ? 1000 : 0);
    progress_->setValue(known ? static_cast<int>(std::lround(std::min(fraction, 1.0) * 1000)) : 0);
    show(text, {}, {progress_, cancel_});
}

void ScanMessage::showError(const QString& text, bool canGoBack) {
    open_->setText(tr("Open another…"));
    QList<QWidget*> parts{open_};
    parts.append(canGoBack ? back_ : sample_);
    show(tr("This scan cannot be shown"), text, parts);
}

}  // namespace highwater::widgets

#include "moc_scan_message.cpp"
