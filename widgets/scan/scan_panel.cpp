#include "widgets/scan/scan_panel.h"

#include <QDragEnterEvent>
#include <QFileInfo>
#include <QGridLayout>
#include <QMimeData>
#include <QPainter>
#include <QStackedLayout>
#include <QStyle>
#include <QVBoxLayout>

#include "widgets/scan/scan_message.h"
#include "widgets/scan/scan_preparation.h"
#include "widgets/scan/scan_scene.h"
#include "widgets/scan/scan_status.h"
#include "widgets/scan/slice_view.h"
#include "widgets/scan/volume_view.h"
#include "widgets/theme/panel.h"
#include "widgets/theme/theme.h"

namespace highwater::widgets {
namespace {

/// The scan among what is dragged; empty when there is none.
QString scanIn(const QMimeData* data) {
    if (!data->hasUrls() || data->urls().size() != 1)
        return {};
    const QString path = data->urls().first().toLocalFile();
    const bool scan =
        path.endsWith(".nii", Qt::CaseInsensitive) || path.endsWith(".nii.gz", Qt::CaseInsensitive);
    return scan ? path : QString();
}

/// The window until the histogram is known: most of the range is seldom used.
volume::Window firstWindow(const volume::Header& header) {
    if (volume::looksLikeCt(header))
        return volume::defaultWindow(header, {});
    const double high = std::min(header.max, header.min + 3 * (header.mean - header.min));
    return {header.min, high > header.min ? high : header.min + 1};
}

}  // namespace

ScanPanel::ScanPanel(QWidget* parent)
    : QWidget(parent), scene_(new ScanScene(this)), preparation_(new ScanPreparation(this)) {
    setObjectName("scanPanel");
    setAcceptDrops(true);
    panel_ = new Panel(tr("Scan"), this);
    auto* const layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(panel_);
    auto* const body = new QWidget;
    pages_ = new QStackedLayout(body);
    views_ = makeViews();
    message_ = new ScanMessage;
    pages_->addWidget(message_);
    pages_->addWidget(views_);
    panel_->setBody(body);
    connectViews();
    connect(message_, &ScanMessage::openRequested, this, &ScanPanel::openRequested);
    connect(message_, &ScanMessage::sampleRequested, this, &ScanPanel::sampleRequested);
    connect(message_, &ScanMessage::cancelRequested, this, &ScanPanel::cancelRequested);
    connect(message_, &ScanMessage::backRequested, this, [this] {
        showScan();
        emit backRequested();
    });
}

ScanPanel::~ScanPanel() = default;

QWidget* ScanPanel::makeViews() {
    auto* const page = new QWidget;
    auto* const column = new QVBoxLayout(page);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    grid_ = new QGridLayout;
    grid_->setSpacing(1);  // the ground between is the line
    slices_ = {new SliceView(*scene_, volume::Plane::Axial), new SliceView(*scene_, volume::Plane::Coronal),
               new SliceView(*scene_, volume::Plane::Sagittal)};
    volumeView_ = new VolumeView(*scene_);
    grid_->addWidget(slices_[0], 0, 0);
    grid_->addWidget(slices_[1], 0, 1);
    grid_->addWidget(slices_[2], 1, 0);
    grid_->addWidget(volumeView_, 1, 1);
    for (int n = 0; n < 2; ++n) {
        grid_->setColumnStretch(n, 1);
        grid_->setRowStretch(n, 1);
    }
    status_ = new ScanStatus(*scene_);
    column->addLayout(grid_, 1);
    column->addWidget(status_);
    return page;
}

void ScanPanel::connectViews() {
    for (SliceView* view : slices_) {
        connect(view, &SliceView::hovered, status_, &ScanStatus::setHovered);
        connect(view, &SliceView::maximiseRequested, this, [this, view] { maximise(view); });
        connect(view, &SliceView::resetRequested, this, &ScanPanel::resetViews);
        connect(status_, &ScanStatus::windowModeChanged, view, &SliceView::setWindowMode);
    }
    connect(volumeView_, &VolumeView::maximiseRequested, this, [this] { maximise(volumeView_); });
    connect(volumeView_, &VolumeView::settledChanged, this, &ScanPanel::tellIfSettled);
    connect(scene_, &ScanScene::patchMoved, this, &ScanPanel::patchMoved);
    connect(preparation_, &ScanPreparation::histogramReady, status_, &ScanStatus::setHistogram);
    connect(preparation_, &ScanPreparation::renderVolumeReady, this,
            [this](const std::shared_ptr<const RenderVolume>& volume) {
                volumeView_->setRenderVolume(volume);
                tellIfSettled();
            });
}

void ScanPanel::setVolume(const volume::Volume& volume) {
    if (volume.empty()) {
        clear();
        return;
    }
    preparation_->cancel();
    volumeView_->setRenderVolume(nullptr);
    status_->clearHistogram();
    scene_->setVolume(volume);
    scene_->setWindow(firstWindow(volume.header()));
    showScan();
    preparation_->start(volume);
}

void ScanPanel::clear() {
    preparation_->cancel();
    volumeView_->setRenderVolume(nullptr);
    status_->clearHistogram();
    scene_->setVolume({});
    name_.clear();
    showScan();
}

const volume::Volume& ScanPanel::volume() const {
    return scene_->volume();
}

void ScanPanel::setScanName(const QString& path) {
    name_ = path;
    refreshNote();
}

void ScanPanel::setPatch(const std::optional<PatchBox>& patch) {
    scene_->setPatch(patch);
}

void ScanPanel::setPatchExtent(const Index3& extent) {
    scene_->setPatchExtent(extent);
}

std::optional<PatchBox> ScanPanel::patch() const {
    return scene_->patch();
}

void ScanPanel::setLoading(const QString& text, double fraction) {
    message_->showLoading(text, fraction);
    showMessage();
}

void ScanPanel::setError(const QString& text) {
    message_->showError(text, !scene_->volume().empty());
    showMessage();
}

void ScanPanel::showScan() {
    if (scene_->volume().empty()) {
        message_->showEmpty();
        showMessage();
        tellIfSettled();
        return;
    }
    pages_->setCurrentWidget(views_);
    refreshNote();
}

void ScanPanel::showMessage() {
    pages_->setCurrentWidget(message_);
    refreshNote();
}

void ScanPanel::refreshNote() {
    if (scene_->volume().empty() || pages_->currentWidget() != views_) {
        panel_->setNote(QFileInfo(name_).fileName());  // the sizes would be those of another scan
        return;
    }
    const volume::Geometry& g = scene_->geometry();
    QString note = QString("%1 × %2 × %3").arg(g.size[0]).arg(g.size[1]).arg(g.size[2]);
    if (!name_.isEmpty())
        note = QFileInfo(name_).fileName() + " · " + note;
    note += scene_->volume().header().spacingKnown ? QString(" · %1 × %2 × %3 mm")
                                                         .arg(g.spacing[0], 0, 'f', 2)
                                                         .arg(g.spacing[1], 0, 'f', 2)
                                                         .arg(g.spacing[2], 0, 'f', 2)
                                                   : tr(" · spacing unknown");
    panel_->setNote(note);
}

void ScanPanel::maximise(QWidget* view) {
    maximised_ = maximised_ == view ? nullptr : view;
    for (SliceView* slice : slices_)
        slice->setVisible(!maximised_ || maximised_ == slice);
    volumeView_->setVisible(!maximised_ || maximised_ == volumeView_);
    for (int n = 0; n < 2; ++n) {  // an empty row or column keeps its stretch otherwise
        const auto shown = [&](int row, int column) {
            return grid_->itemAtPosition(row, column)->widget()->isVisibleTo(views_) ? 1 : 0;
        };
        grid_->setRowStretch(n, shown(n, 0) | shown(n, 1));
        grid_->setColumnStretch(n, shown(0, n) | shown(1, n));
    }
    view->setFocus();
}

void ScanPanel::resetViews() {
    for (SliceView* view : slices_)
        view->resetView();
    volumeView_->resetCamera();
    status_->resetWindow();
}

bool ScanPanel::settled() const {
    return !preparation_->pending() && volumeView_->settled();
}

void ScanPanel::tellIfSettled() {
    if (settled())
        emit becameSettled();
}

void ScanPanel::dragEnterEvent(QDragEnterEvent* event) {
    if (scanIn(event->mimeData()).isEmpty())
        return;
    event->acceptProposedAction();
    setProperty("dropHere", true);
    update();
}

void ScanPanel::dragLeaveEvent(QDragLeaveEvent*) {
    setProperty("dropHere", false);
    update();
}

void ScanPanel::dropEvent(QDropEvent* event) {
    setProperty("dropHere", false);
    update();
    const QString path = scanIn(event->mimeData());
    if (path.isEmpty())
        return;
    event->acceptProposedAction();
    emit fileDropped(path);
}

void ScanPanel::paintEvent(QPaintEvent*) {
    QPainter(this).fillRect(rect(), theme().border);
}

}  // namespace highwater::widgets
