#pragma once

#include <QWidget>

#include "widgets/plot/chart_scene.h"

namespace highwater::widgets {

/// The small card beside the crosshair that describes what is under the pointer. It is a child of a larger
/// widget, so that it may extend beyond its chart. It takes no input.
class HoverCardWidget : public QWidget {
public:
    explicit HoverCardWidget(QWidget* host);
    /// Shows the card to the right of `anchor` (in the host's coordinates), or to the left if there is no
    /// room on the right.
    void showCard(const HoverCard& card, const QPoint& anchor);
    const HoverCard& card() const { return card_; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    HoverCard card_;
};

}  // namespace highwater::widgets
