#include "widgets/scan/slice/slice_view.h"

#include <QPainter>
#include <algorithm>
#include <utility>

#include "widgets/scan/slice/heat.h"
#include "widgets/scan/slice/slice_marks.h"
#include "widgets/scan/view_paint.h"
#include "widgets/theme/panel.h"
#include "widgets/theme/theme.h"
#include "widgets/theme/utf8.h"

namespace highwater::widgets {
namespace {

constexpr double kTiltWorthSaying = 2;  // degrees
constexpr int kShortName = 3;           // "cor" if a letter leaves no room for "coronal"
constexpr int kTextGap = 3;             // points between texts on one line
constexpr int kSmallView = 150;         // points: a short note takes the whole width

QString nameOf(volume::Plane plane) {
    return fromUtf8(volume::planeName(plane));
}

bool sameGrid(const volume::SliceLayout& a, const volume::SliceLayout& b) {
    return a.width == b.width && a.height == b.height && a.columnSpacing == b.columnSpacing &&
           a.rowSpacing == b.rowSpacing;
}

}  // namespace

SliceView::SliceView(ScanScene& scene, volume::Plane plane, QWidget* parent)
    : QWidget(parent), scene_(scene) {
    frame_.layout.plane = plane;
    setObjectName(nameOf(plane) + "View");
    setAccessibleName(tr("%1 slices").arg(nameOf(plane)));
    setAccessibleDescription(tr(
        "Arrow keys move the crosshair, Page Up and Page Down change the slice, plus and minus zoom; ? lists "
        "all keys."));
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setAttribute(Qt::WA_OpaquePaintEvent);
    setMinimumSize(80, 80);
    connect(&scene_, &ScanScene::volumeChanged, this, &SliceView::takeVolume);
    for (const auto signal :
         {&ScanScene::cursorChanged, &ScanScene::windowChanged, &ScanScene::patchChanged,
          &ScanScene::cropChanged, &ScanScene::overlayChanged, &ScanScene::distancesChanged}) {
        connect(&scene_, signal, this, qOverload<>(&QWidget::update));
    }
    connect(&scene_, &ScanScene::cursorChanged, this, &SliceView::followCursor);
    connect(&scene_, &ScanScene::labelsChanged, this, [this] {
        picture_.clearLabels();
        update();
    });
    connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, this, qOverload<>(&QWidget::update));
    takeVolume();
}

void SliceView::takeVolume() {
    const volume::SliceLayout before = frame_.layout;
    const bool sameScan = std::exchange(geometry_, scene_.geometry()) == scene_.geometry();
    frame_.layout = {};
    frame_.layout.plane = before.plane;
    if (!scene_.volume().empty()) {
        frame_.layout = volume::sliceLayout(scene_.geometry(), before.plane);
    }
    picture_.clear();
    drag_ = Drag::None;
    if (scene_.showsInstead()) {
        if (kept_ && sameGrid(before, frame_.layout)) {
            update();  // the next patch, with the same view
            return;
        }
        if (!kept_) {
            kept_ = Kept{before, frame_.zoom, frame_.pan};
        }
        resetView();
        return;
    }
    const auto kept = std::exchange(kept_, std::nullopt);
    if (!kept && sameScan) {  // another channel of the same scan
        update();
        return;
    }
    resetView();
    if (kept && sameGrid(kept->layout, frame_.layout)) {
        frame_.zoom = kept->zoom;
        frame_.pan = kept->pan;
    }
}

void SliceView::resetView() {
    frame_.zoom = 1;
    frame_.pan = {};
    frame_.view = rect();
    update();
}

std::int64_t SliceView::index() const {
    return scene_.cursor()[static_cast<std::size_t>(frame_.layout.normalAxis)];
}

QString SliceView::numberText() const {
    if (scene_.volume().empty()) {
        return {};
    }
    return QString("%1/%2").arg(index() + 1).arg(frame_.layout.depth);
}

QStringList SliceView::notes() const {
    if (scene_.volume().empty()) {
        return {};
    }
    const bool brief = width() < kSmallView;
    QStringList lines = picture_.notes(scene_, frame_, brief);
    if (scene_.patchExceedsScan()) {
        lines += brief ? tr("patch padded") : tr("patch larger than the scan");
    }
    const double degrees = tilt(scene_.geometry(), frame_.layout);
    if (!brief && degrees >= kTiltWorthSaying) {
        lines += tr("tilted %1°").arg(QString::number(degrees, 'f', 0));
    }
    return lines;
}

void SliceView::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    frame_.view = rect();
}

void SliceView::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), kViewGround);
    if (scene_.volume().empty()) {
        return;
    }
    picture_.paint(painter, scene_, frame_, index());
    paintBoxes(painter);
    if (scene_.crosshair()) {
        paintCrosshair(painter, frame_, scene_.cursor());
    }
    paintTexts(painter);
    paintDistances(painter);
    if (hasFocus()) {
        painter.setPen(QPen(onDark(theme().accent), 1));
        painter.drawRect(rect().adjusted(0, 0, -1, -1));
    }
}

void SliceView::paintDistances(QPainter& painter) const {
    const auto& all = scene_.distances().all();
    for (std::size_t n = 0; n < all.size(); ++n) {
        if (all[n].plane == plane() && all[n].index == index()) {
            paintDistance(painter, frame_, {pointOf(all[n].from), pointOf(all[n].to)},
                          distanceText(all[n], scene_.volume().header()), scene_.distances().chosen() == n);
        }
    }
}

void SliceView::paintBoxes(QPainter& painter) const {
    if (scene_.crop() || scene_.cropping()) {
        paintCrop(painter, frame_, scene_.cropOrAll(), index(), scene_.cropping());
    }
    if (scene_.patch()) {
        paintPatch(painter, frame_, *scene_.patch(), index(), scene_.volume().header().spacingKnown);
    }
}

/// Notes are placed beside the letter at the top if they fit, otherwise below it.
int SliceView::noteTop() const {
    const QFontMetrics metrics(smallFont(font()));
    const bool fit = std::ranges::all_of(
        notes(), [&](const QString& line) { return metrics.horizontalAdvance(line) < width() / 2 - 18; });
    return fit ? 0 : metrics.lineSpacing();
}

std::vector<ViewNote> SliceView::texts() const {
    const bool spacing = scene_.volume().header().spacingKnown;
    std::vector<QRect> taken;
    if (scene_.patch() && frame_.crosses(*scene_.patch(), index())) {
        taken.push_back(patchLabel(frame_, *scene_.patch(), QFontMetrics(smallFont(font())), spacing)
                            .tab.toAlignedRect());
    }
    std::vector<ViewNote> wanted = letters(frame_);
    // The first that fits is kept.
    for (const QString& name : {nameOf(plane()), nameOf(plane()).left(kShortName)}) {
        wanted.push_back({rect(), Qt::AlignLeft | Qt::AlignTop, name, planeColor(plane())});
    }
    wanted.push_back(scaleNote(frame_, spacing));
    wanted.push_back({rect(), Qt::AlignLeft | Qt::AlignBottom, numberText()});
    wanted.push_back(
        {rect().adjusted(0, noteTop(), 0, 0), Qt::AlignRight | Qt::AlignTop, notes().join('\n')});
    std::vector<ViewNote> kept;
    for (const ViewNote& note : wanted) {
        const QRect place = placeOf(note, font());
        const auto covers = [&](const QRect& other) {
            return other.adjusted(-kTextGap, 0, kTextGap, 0).intersects(place);
        };
        if (!note.text.isEmpty() && std::ranges::none_of(taken, covers)) {
            taken.push_back(place);
            kept.push_back(note);
        }
    }
    return kept;
}

void SliceView::paintTexts(QPainter& painter) const {
    const QString scale = scaleNote(frame_, scene_.volume().header().spacingKnown).text;
    for (const ViewNote& note : texts()) {
        paintNote(painter, note.view, note.alignment, note.text, note.color);
        if (note.text == scale) {
            paintScaleBar(painter, frame_, scene_.volume().header().spacingKnown);
        }
    }
    // The values of a patch's target are not fractions; in a small view the legend would hide the picture.
    if (!scene_.overlay().empty() && !scene_.showsInstead() && width() >= kSmallView) {
        const int lines = static_cast<int>(notes().size()) * QFontMetrics(smallFont(font())).lineSpacing();
        paintHeatLegend(painter, {rect().right() - 8, 8 + noteTop() + lines}, scene_.overlayMost());
    }
}

}  // namespace highwater::widgets

#include "moc_slice_view.cpp"
