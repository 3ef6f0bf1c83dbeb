#include "app/desktop/study/claims/verdict_badge.h"

#include <QPainter>
#include <cmath>

#include "app/desktop/study/study_words.h"
#include "widgets/theme/panel.h"
#include "widgets/theme/theme.h"

namespace highwater::desktop {

BadgeLook badgeOf(ClaimVerdict verdict, ClaimActivity activity) {
    if (activity == ClaimActivity::Running) {
        return {QObject::tr("running…"), widgets::theme().accent};
    }
    if (activity == ClaimActivity::Waiting) {
        return {QObject::tr("waiting"), widgets::theme().mutedText};
    }
    return {verdictText(verdict), verdictColor(verdict)};
}

QSizeF badgeSize(const BadgeLook& look, const QFont& font) {
    const QFontMetricsF metrics(widgets::smallFont(font));
    return {std::ceil(metrics.horizontalAdvance(look.text)) + 16, std::ceil(metrics.height()) + 5};
}

void paintBadge(QPainter& painter, const QRectF& rect, const BadgeLook& look, const QFont& font) {
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    QColor ground = look.color;
    ground.setAlphaF(0.14F);
    painter.setPen(QPen(look.color, 1));
    painter.setBrush(ground);
    const QRectF pill = rect.adjusted(0.5, 0.5, -0.5, -0.5);
    painter.drawRoundedRect(pill, pill.height() / 2, pill.height() / 2);
    painter.setFont(widgets::smallFont(font));
    painter.drawText(rect, Qt::AlignCenter, look.text);
    painter.restore();
}

VerdictBadge::VerdictBadge(QWidget* parent) : QWidget(parent) {
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    connect(&widgets::ThemeNotifier::instance(), &widgets::ThemeNotifier::changed, this,
            [this] { update(); });
}

void VerdictBadge::setVerdict(ClaimVerdict verdict, ClaimActivity activity) {
    verdict_ = verdict;
    activity_ = activity;
    setAccessibleName(text());
    updateGeometry();
    update();
}

QSize VerdictBadge::sizeHint() const {
    return badgeSize(badgeOf(verdict_, activity_), font()).toSize();
}

void VerdictBadge::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    paintBadge(painter, rect(), badgeOf(verdict_, activity_), font());
}

}  // namespace highwater::desktop
