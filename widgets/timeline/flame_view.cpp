#include "widgets/timeline/flame_view.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "widgets/plot/hover_card.h"
#include "widgets/plot/plot_values.h"
#include "widgets/theme/theme.h"
#include "widgets/timeline/timeline_words.h"

namespace highwater::widgets {

namespace {

constexpr int kSide = 10, kTop = 6;

QColor mixed(const QColor& a, const QColor& b, double share) {
    const auto part = [share](int x, int y) { return static_cast<int>(std::lround(x + (y - x) * share)); };
    return {part(a.red(), b.red()), part(a.green(), b.green()), part(a.blue(), b.blue())};
}

}  // namespace

FlameView::FlameView(QWidget* cardHost, QWidget* parent)
    : QWidget(parent), card_(new HoverCardWidget(cardHost ? cardHost : this)) {
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setAccessibleName(tr("Bytes × lifetime by layer"));
    connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, this, [this] { update(); });
}

void FlameView::setBoxes(std::shared_ptr<const TraceIndex> index, std::vector<FlameBox> boxes) {
    index_ = std::move(index);
    boxes_ = std::move(boxes);
    current_ = -1;
    spread_ = 0;
    card_->hide();
    update();
}

void FlameView::showLayer(int layer) {
    layer_ = layer;
    update();
}

double FlameView::extent(int box) const {
    return at(box).value / boxes_.front().value;
}

QRectF FlameView::placeOf(int box) const {
    const double row = std::max(17.0, QFontMetricsF(font()).height() + 5);
    const double room = std::max(1, width() - 2 * kSide);
    const double scale = room / extent(spread_);
    const double left = std::max(0.0, (at(box).begin - at(spread_).begin) * scale);
    const double right = std::min(room, (at(box).begin + extent(box) - at(spread_).begin) * scale);
    if (right <= left) {
        return {};
    }
    return {kSide + left, kTop + at(box).depth * row, right - left, row - 1};
}

int FlameView::boxAt(const QPointF& position) const {
    for (int box = 0; box < static_cast<int>(boxes_.size()); ++box) {
        if (placeOf(box).contains(position)) {
            return box;
        }
    }
    return -1;
}

void FlameView::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Theme& t = theme();
    painter.fillRect(rect(), t.window);
    if (boxes_.empty()) {
        painter.setPen(t.mutedText);
        painter.drawText(rect(), Qt::AlignCenter, tr("Nothing is allocated here"));
        return;
    }
    const QFontMetricsF metrics(font());
    for (int b = 0; b < static_cast<int>(boxes_.size()); ++b) {
        const FlameBox& box = at(b);
        const QRectF place = placeOf(b);
        if (place.width() < 0.5) {
            continue;
        }
        const bool pale = layer_ >= 0 && box.layer != layer_;
        QColor color = box.category >= 0
                           ? t.category[static_cast<std::size_t>(box.category)]
                           : mixed(t.window, t.accent, box.depth == 0 ? 0.16 : 0.34 - 0.05 * (b % 3));
        color = mixed(t.window, color, pale ? 0.3 : box.category >= 0 ? 0.85 : 1.0);
        painter.fillRect(place.adjusted(0, 0, place.width() > 3 ? -1 : 0, 0), color);
        if (b == current_) {
            painter.setPen(QPen(t.text, 1.5));
            painter.drawRect(place.adjusted(0.5, 0.5, -1.5, -0.5));
        }
        if (place.width() < 34) {
            continue;
        }
        QString text = b == 0 ? tr("all") : QString::fromStdString(box.name).replace('_', ' ');
        text += QStringLiteral("  %1 %").arg(extent(b) * 100, 0, 'f', 1);
        painter.setPen(qGray(color.rgb()) > 130 ? QColor(0, 0, 0, 220) : QColor(255, 255, 255, 235));
        painter.drawText(place.adjusted(5, 0, -4, 0), Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine,
                         metrics.elidedText(text, Qt::ElideRight, place.width() - 9));
    }
}

void FlameView::setCurrent(int box, bool byKey) {
    current_ = box;
    update();
    if (box < 0) {
        card_->hide();
        return;
    }
    HoverCard card;
    const FlameBox& b = at(box);
    card.title = box == 0 ? tr("all of it")
                 : b.category >= 0
                     ? tr("%1 of %2")
                           .arg(categoryName(memory::kCategories[static_cast<std::size_t>(b.category)]),
                                layerText(index_->trace(), b.layer))
                 : b.layer >= 0 ? layerText(index_->trace(), b.layer)
                                : QString::fromStdString(b.name);
    card.rows.push_back({{}, tr("bytes × lifetime"), byteTimeText(*index_, b.value)});
    card.rows.push_back({{}, tr("of the whole"), QString("%1 %").arg(extent(box) * 100, 0, 'f', 2)});
    const QRectF place = placeOf(box);
    const QPointF at = byKey ? place.bottomLeft() : mapFromGlobal(QCursor::pos()) + QPointF(6, 12);
    card_->showCard(card, mapTo(card_->parentWidget(), at.toPoint()));
}

void FlameView::mouseMoveEvent(QMouseEvent* event) {
    const int box = boxAt(event->position());
    setCursor(box > 0 ? Qt::PointingHandCursor : Qt::ArrowCursor);
    setCurrent(box, false);
}

void FlameView::mousePressEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton) {
        choose(boxAt(event->position()));
    }
}

void FlameView::mouseDoubleClickEvent(QMouseEvent* event) {
    spread(boxAt(event->position()));
}

void FlameView::choose(int box) {
    if (box >= 0 && at(box).layer >= 0) {
        emit layerClicked(at(box).layer);
    }
}

void FlameView::spread(int box) {
    if (boxes_.empty()) {
        return;
    }
    spread_ = box < 0 || box == spread_ ? 0 : box;
    update();
}

bool FlameView::moveCurrent(int key) {
    if (boxes_.empty()) {
        return false;
    }
    if (current_ < 0) {
        return setCurrent(0, true), true;
    }
    const int now = current_, count = static_cast<int>(boxes_.size());
    int next = -1;
    if (key == Qt::Key_Up) {
        next = at(now).parent;
    }
    for (int b = 0; b < count && key != Qt::Key_Up; ++b) {
        const bool child = key == Qt::Key_Down && at(b).parent == now && next < 0;
        const bool sibling = at(b).depth == at(now).depth && ((key == Qt::Key_Left && b < now) ||
                                                              (key == Qt::Key_Right && b > now && next < 0));
        if (child || sibling) {
            next = b;
        }
    }
    if (next >= 0) {
        setCurrent(next, true);
    }
    return true;
}

void FlameView::keyPressEvent(QKeyEvent* event) {
    switch (event->key()) {
        case Qt::Key_Up:
        case Qt::Key_Down:
        case Qt::Key_Left:
        case Qt::Key_Right:
            moveCurrent(event->key());
            return;
        case Qt::Key_Return:
        case Qt::Key_Enter:
            choose(current_);
            return;
        case Qt::Key_Plus:
        case Qt::Key_Equal:
            spread(current_);
            return;
        case Qt::Key_Escape:
            if (spread_ == 0) {
                break;
            }
            [[fallthrough]];
        case Qt::Key_Home:
            spread(-1);
            return;
        default:
            break;
    }
    QWidget::keyPressEvent(event);
}

void FlameView::leaveEvent(QEvent*) {
    setCurrent(-1, false);
}

void FlameView::focusInEvent(QFocusEvent* event) {
    if (current_ < 0 && !boxes_.empty() && event->reason() == Qt::TabFocusReason) {
        setCurrent(0, true);
    }
}

}  // namespace highwater::widgets

#include "moc_flame_view.cpp"
