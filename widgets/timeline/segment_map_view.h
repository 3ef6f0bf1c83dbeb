#pragma once

#include <QAbstractScrollArea>
#include <QImage>
#include <optional>
#include <span>

#include "widgets/plot/chart_scene.h"
#include "widgets/timeline/segment_map.h"

namespace highwater::widgets {

class HoverCardWidget;

/// The segments as rows, with their blocks by state: in use, waiting for a stream, free. Only the visible
/// rows are drawn, and the picture is cached until the view changes.
///
/// Mouse: the wheel scrolls the rows, with Ctrl it zooms into bytes at the pointer; dragging moves, a click
/// selects a block, a double-click zooms to it, or shows all if it is not on a block. Keys: arrows go from
/// block to block and from row to row, + and - zoom, Home shows all, Escape clears the selection.
class SegmentMapView : public QAbstractScrollArea {
    Q_OBJECT
public:
    explicit SegmentMapView(QWidget* cardHost, QWidget* parent = nullptr);

    /// Null clears the map.
    void setMap(std::shared_ptr<const SegmentMap> map);
    const SegmentMap* map() const { return map_.get(); }
    void setOrder(SegmentOrder order);
    /// Draws every segment as wide as the view, or all at the scale of the largest.
    void setFullWidth(bool full);
    void showAll();
    void zoomToBlock(std::uint32_t block);

    void selectBlock(std::optional<std::uint32_t> block);
    std::optional<std::uint32_t> selectedBlock() const { return selected_; }
    std::optional<std::uint32_t> blockAtPoint(const QPointF& position) const;
    /// The rectangle of a block in the viewport; it may be out of view.
    QRectF placeOf(std::uint32_t block) const;
    QSize sizeHint() const override { return {900, 420}; }
    QSize minimumSizeHint() const override { return {160, 80}; }

signals:
    void blockSelected();

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void scrollContentsBy(int dx, int dy) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    bool viewportEvent(QEvent* event) override;

private:
    static constexpr int kLeast = 22, kMost = 40, kGap = 5, kLeft = 150, kRight = 10, kTop = 4;
    /// The segments in the order of the rows, and the row of each.
    void arrange();
    void invalidate();
    void setZoom(double from, double to);
    QRectF barOf(std::size_t row) const;
    int rowAt(double y) const;
    double bytesAcross(const MapSegment& segment) const;
    double byteAt(const MapSegment& segment, double x) const;
    void draw();
    void drawRow(QImage& image, std::size_t row);
    void drawEdges(std::span<QRgb> line, int left, std::size_t row);
    void paintWords(QPainter& painter) const;
    void paintNames(QPainter& painter, const QFontMetricsF& metrics) const;
    void paintOutline(QPainter& painter, std::uint32_t block, const QColor& color, double width) const;
    bool moveSelection(int key);
    void reveal(std::uint32_t block);
    void hover(const QPointF& position);

    std::shared_ptr<const SegmentMap> map_;
    std::vector<std::uint32_t> rows_, rowOf_;
    SegmentOrder order_ = SegmentOrder::Size;
    bool full_ = false;
    int row_ = kLeast;          // the height of a row, with its gap
    double from_ = 0, to_ = 1;  // the visible part of the width
    QImage picture_;
    std::vector<std::uint32_t> named_;  // the blocks in the picture that are wide enough for a name
    bool stale_ = true, dragging_ = false, pressed_ = false;
    QPointF pressedAt_;
    double pressedFrom_ = 0;
    int pressedScroll_ = 0;
    std::optional<std::uint32_t> selected_, hovered_;
    HoverCardWidget* card_;
};

QColor mapColor(MapBlock::State state);
/// Size and state of a block: "512 MiB · in use".
QString blockTitle(const MapBlock& block);
/// Its requested size, age and segment.
QString blockNote(const SegmentMap& map, std::uint32_t block);
HoverCard mapCard(const SegmentMap& map, std::uint32_t block);
/// "78.4 GiB in 8 segments · 385 MiB in use · largest free piece 25.6 GiB".
QString mapSummary(const SegmentMap& map);
std::vector<SeriesStyle> mapLegend(const SegmentMap& map);

}  // namespace highwater::widgets
