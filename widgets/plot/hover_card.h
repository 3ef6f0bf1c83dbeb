#pragma once

#include <QWidget>

#include "widgets/plot/chart_scene.h"

namespace highwater::widgets {

/// The small card beside the crosshair that says what is under it. A child of some larger widget, so that it
/// may stick out of its chart; never takes input.
class HoverCardWidget : public QWidget {
public:
    explicit HoverCardWidget(QWidget* host);
    /// Shows the card right of `anchor` (the host's coordinates), or left of it where the right has no room.
    void showCard(const HoverCard& card, const QPoint& anchor);
    const HoverCard& card() const { return card_; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    HoverCard card_;
};

}  // namespace highwater::widgets
