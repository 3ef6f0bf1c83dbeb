#pragma once

#include <QWidget>

#include "app/desktop/study/study_values.h"

class QPainter;

namespace highwater::desktop {

/// A verdict, or the activity of its claim (waiting, running), as a small colored badge.
struct BadgeLook {
    QString text;
    QColor color;
};
BadgeLook badgeOf(ClaimVerdict verdict, ClaimActivity activity);
QSizeF badgeSize(const BadgeLook& look, const QFont& font);
void paintBadge(QPainter& painter, const QRectF& rect, const BadgeLook& look, const QFont& font);

class VerdictBadge : public QWidget {
public:
    explicit VerdictBadge(QWidget* parent = nullptr);
    void setVerdict(ClaimVerdict verdict, ClaimActivity activity);
    QString text() const { return badgeOf(verdict_, activity_).text; }
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    ClaimVerdict verdict_ = ClaimVerdict::NotRun;
    ClaimActivity activity_ = ClaimActivity::None;
};

}  // namespace highwater::desktop
