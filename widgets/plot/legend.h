#pragma once

#include <QWidget>
#include <vector>

#include "widgets/plot/chart_scene.h"

namespace highwater::widgets {

/// A row of colour swatches with names. It wraps if it is too narrow; a dense one is a single low line, with
/// as many entries as there is room for.
class Legend : public QWidget {
public:
    explicit Legend(QWidget* parent = nullptr);
    void setEntries(std::vector<SeriesStyle> entries);
    const std::vector<SeriesStyle>& entries() const { return entries_; }
    void setDense(bool on);
    int heightForWidth(int width, bool dense) const;
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return {80, heightForWidth(std::max(80, width()))}; }
    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override { return heightForWidth(width, dense_); }

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    bool event(QEvent* event) override;

private:
    /// The entry at a place: in a dense legend the last one, which a chart has on top, comes first.
    const SeriesStyle& entryAt(std::size_t place, bool dense) const {
        return entries_[dense ? entries_.size() - 1 - place : place];
    }
    /// Of the entries that have room.
    std::vector<QRectF> places(int width, bool dense) const;
    bool dense_ = false;
    std::vector<SeriesStyle> entries_;
};

}  // namespace highwater::widgets
