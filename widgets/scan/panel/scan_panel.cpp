#include "widgets/scan/panel/scan_panel.h"

#include <QDragEnterEvent>
#include <QFileInfo>
#include <QMimeData>
#include <QPainter>
#include <QStackedLayout>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "widgets/scan/panel/full_screen.h"
#include "widgets/scan/panel/label_list.h"
#include "widgets/scan/panel/scan_message.h"
#include "widgets/scan/panel/scan_preparation.h"
#include "widgets/scan/panel/scan_status.h"
#include "widgets/scan/panel/scan_views.h"
#include "widgets/scan/scan_scene.h"
#include "widgets/scan/volume3d/volume_view.h"
#include "widgets/theme/panel.h"
#include "widgets/theme/theme.h"

namespace highwater::widgets {
namespace {

/// The dragged scan or folder; empty if there is none. DICOM files often have no suffix, or a number as
/// suffix.
QString scanIn(const QMimeData* data) {
    if (!data->hasUrls() || data->urls().size() != 1) {
        return {};
    }
    const QString path = data->urls().first().toLocalFile();
    const QFileInfo file(path);
    if (path.isEmpty() || file.isDir()) {
        return path;
    }
    static const QStringList suffixes{"nii", "hdr", "img", "nrrd", "nhdr",  "mha", "mhd",
                                      "mgh", "mgz", "dcm", "ima",  "dicom", ""};
    bool isNumber = false;
    file.suffix().toUInt(&isNumber);
    const bool scan = path.endsWith(".nii.gz", Qt::CaseInsensitive) || isNumber ||
                      suffixes.contains(file.suffix().toLower());
    return scan ? path : QString();
}

/// The window until the histogram is known: most of the value range is rarely used.
volume::Window firstWindow(const volume::Header& header) {
    if (volume::looksLikeCt(header)) {
        return volume::defaultWindow(header, {});
    }
    const double high = std::min(header.max, header.min + 3 * (header.mean - header.min));
    return {header.min, high > header.min ? high : header.min + 1};
}

QString sizeText(const volume::Header& header) {
    const volume::Geometry& g = header.geometry;
    const auto mm = [&](std::size_t a) { return QString::number(g.spacing[a], 'f', 2); };
    const QString size = QString("%1 × %2 × %3").arg(g.size[0]).arg(g.size[1]).arg(g.size[2]);
    return size + (header.spacingKnown ? QString(" · %1 × %2 × %3 mm").arg(mm(0), mm(1), mm(2))
                                       : ScanPanel::tr(" · spacing unknown"));
}

}  // namespace

ScanPanel::ScanPanel(QWidget* parent)
    : QWidget(parent),
      scene_(new ScanScene(this)),
      preparation_(new ScanPreparation(this)),
      panel_(new Panel(tr("Scan"), this)),
      views_(new ScanViews(*scene_)),
      message_(new ScanMessage) {
    setObjectName("scanPanel");
    setAcceptDrops(true);
    auto* const layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(panel_);
    auto* const body = new QWidget;
    pages_ = new QStackedLayout(body);
    pages_->addWidget(message_);
    pages_->addWidget(views_);
    panel_->setBody(body);
    connectParts();
}

ScanPanel::~ScanPanel() = default;

void ScanPanel::connectParts() {
    connect(scene_, &ScanScene::patchMoved, this, &ScanPanel::patchMoved);
    connect(&views_->volumeView(), &VolumeView::settledChanged, this, &ScanPanel::tellIfSettled);
    connect(views_, &ScanViews::fullScreenRequested, this, &ScanPanel::toggleFullScreen);
    connect(views_, &ScanViews::fullScreenLeft, this, &ScanPanel::leaveFullScreen);
    connect(&views_->labelList(), &LabelList::namesRequested, this, &ScanPanel::labelNamesRequested);
    connect(&views_->labelList(), &LabelList::removeRequested, this, &ScanPanel::removeLabelsRequested);
    connect(preparation_, &ScanPreparation::histogramReady, this, &ScanPanel::takeHistogram);
    connect(preparation_, &ScanPreparation::renderVolumeReady, this, &ScanPanel::takeRenderVolume);
    connect(message_, &ScanMessage::openRequested, this, &ScanPanel::openRequested);
    connect(message_, &ScanMessage::sampleRequested, this, &ScanPanel::sampleRequested);
    connect(message_, &ScanMessage::cancelRequested, this, &ScanPanel::cancelRequested);
    connect(message_, &ScanMessage::backRequested, this, [this] {
        showScan();
        emit backRequested();
    });
}

void ScanPanel::setVolume(const volume::Volume& volume) {
    if (volume.empty()) {
        clear();
        return;
    }
    forgetPreparation();
    scanPrepared_ = {};
    insteadName_.clear();
    scene_->setVolume(volume);
    scene_->setWindow(firstWindow(volume.header()));
    showScan();
    prepare(false);
}

void ScanPanel::clear() {
    forgetPreparation();
    scanPrepared_ = {};
    insteadName_.clear();
    scene_->setVolume({});
    name_.clear();
    showScan();
}

void ScanPanel::showInstead(const volume::Volume& volume, const QString& name) {
    if (scene_->scan().empty() || (volume.empty() && !scene_->showsInstead())) {
        return;
    }
    forgetPreparation();
    insteadName_ = volume.empty() ? QString() : name;
    if (volume.empty()) {
        bringScanBack();
    } else {
        const bool remembered = scene_->showInstead(volume);
        if (!remembered) {
            scene_->setWindow(firstWindow(volume.header()));
        }
        prepare(remembered);
    }
    refreshNote();
}

bool ScanPanel::showsInstead() const {
    return scene_->showsInstead();
}

void ScanPanel::bringScanBack() {
    scene_->showInstead({});
    keepWindow_ = true;
    if (scanPrepared_.histogram) {
        takeHistogram(*scanPrepared_.histogram);
    }
    if (scanPrepared_.render) {
        takeRenderVolume(scanPrepared_.render);
    } else {
        prepare(scanPrepared_.histogram.has_value());
    }
}

void ScanPanel::prepare(bool keepWindow) {
    keepWindow_ = keepWindow;
    preparation_->start(scene_->volume());
}

void ScanPanel::forgetPreparation() {
    preparation_->cancel();
    views_->volumeView().setRenderVolume(nullptr);
    views_->status().clearHistogram();
}

void ScanPanel::takeHistogram(const volume::Histogram& histogram) {
    if (!scene_->showsInstead()) {
        scanPrepared_.histogram = histogram;
    }
    views_->status().setHistogram(histogram);
    if (!keepWindow_) {
        views_->status().resetWindow();
    }
}

void ScanPanel::takeRenderVolume(const std::shared_ptr<const RenderVolume>& volume) {
    if (!scene_->showsInstead()) {
        scanPrepared_.render = volume;
    }
    views_->volumeView().setRenderVolume(volume);
    tellIfSettled();
}

const volume::Volume& ScanPanel::volume() const {
    return scene_->scan();
}

void ScanPanel::setChannels(const std::vector<volume::Volume>& others) {
    scene_->setChannels(others);
}

void ScanPanel::setOverlay(const volume::Volume& overlay, double most) {
    scene_->setOverlay(overlay, most);
}

void ScanPanel::setInsteadOverlay(const volume::Volume& overlay) {
    scene_->setInsteadOverlay(overlay);
}

void ScanPanel::setOverlayOpacity(double opacity) {
    scene_->setOverlayOpacity(opacity);
}

void ScanPanel::setLabels(const LabelMap& labels, bool removable) {
    scene_->setLabels(labels);
    views_->labelList().setRemovable(removable);
}

bool ScanPanel::hasLabels() const {
    return scene_->hasLabels();
}

void ScanPanel::openLabelList() {
    views_->status().setLabelListOpen(true);
}

void ScanPanel::addBar(QWidget* bar) {
    views_->addBar(bar);
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
    return scene_->scanPatch();
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
    if (!fullScreen_) {
        pages_->setCurrentWidget(views_);
    }
    refreshNote();
}

void ScanPanel::showMessage() {
    leaveFullScreen();
    pages_->setCurrentWidget(message_);
    refreshNote();
}

void ScanPanel::refreshNote() {
    const QString file = QFileInfo(name_).fileName();
    if (scene_->volume().empty() || (pages_->currentWidget() != views_ && !fullScreen_)) {
        panel_->setNote(file);  // the sizes would be those of another scan
        return;
    }
    const QString name = scene_->showsInstead() ? insteadName_ : file;
    panel_->setNote((name.isEmpty() ? QString() : name + " · ") + sizeText(scene_->volume().header()));
}

void ScanPanel::toggleFullScreen() {
    if (fullScreen_) {
        leaveFullScreen();
        return;
    }
    auto* const window = new FullScreen(this);
    connect(window, &FullScreen::closed, this, &ScanPanel::leaveFullScreen);
    fullScreen_ = window;
    pages_->removeWidget(views_);
    window->take(views_);
}

void ScanPanel::leaveFullScreen() {
    QWidget* const window = std::exchange(fullScreen_, nullptr);
    if (!window) {
        return;
    }
    pages_->addWidget(views_);
    pages_->setCurrentWidget(views_);
    views_->setFocus();
    window->deleteLater();
}

bool ScanPanel::settled() const {
    return !preparation_->pending() && views_->volumeView().settled();
}

void ScanPanel::tellIfSettled() {
    if (settled()) {
        emit becameSettled();
    }
}

void ScanPanel::dragEnterEvent(QDragEnterEvent* event) {
    if (scanIn(event->mimeData()).isEmpty()) {
        return;
    }
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
    if (path.isEmpty()) {
        return;
    }
    event->acceptProposedAction();
    emit fileDropped(path);
}

void ScanPanel::paintEvent(QPaintEvent*) {
    QPainter(this).fillRect(rect(), theme().border);
}

}  // namespace highwater::widgets

#include "moc_scan_panel.cpp"
