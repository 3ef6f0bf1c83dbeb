#pragma once

#include <QWidget>
#include <memory>
#include <vector>

#include "widgets/timeline/flame.h"

namespace highwater::widgets {

class HoverCardWidget;

/// A flame graph of bytes x lifetime, with the root at the top. Hovering shows the amount. A click on a layer
/// (or Return) selects it, a double-click (or +) zooms a box to the full width, Home or Escape shows
/// everything again. Arrow keys move from box to box.
class FlameView : public QWidget {
    Q_OBJECT
public:
    explicit FlameView(QWidget* cardHost, QWidget* parent = nullptr);
    void setBoxes(std::shared_ptr<const TraceIndex> index, std::vector<FlameBox> boxes);
    const std::vector<FlameBox>& boxes() const { return boxes_; }
    void showLayer(int layer);
    /// The rectangle of a box; empty if it is out of view.
    QRectF placeOf(int box) const;
    int boxAt(const QPointF& position) const;  ///< -1 if there is none
    QSize minimumSizeHint() const override { return {80, 60}; }

signals:
    void layerClicked(int layer);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;

private:
    double extent(int box) const;
    bool moveCurrent(int key);
    void setCurrent(int box, bool byKey);
    void spread(int box);
    void choose(int box);
    const FlameBox& at(int box) const { return boxes_[static_cast<std::size_t>(box)]; }
    std::shared_ptr<const TraceIndex> index_;
    std::vector<FlameBox> boxes_;
    int current_ = -1, spread_ = 0, layer_ = -1;
    HoverCardWidget* card_;
};

}  // namespace highwater::widgets
