#pragma once

#include <QWidget>
#include <vector>

#include "widgets/plot/chart_scene.h"

namespace highwater::widgets {

/// A row of colour swatches with names. It wraps if it is too narrow.
class Legend : public QWidget {
public:
    explicit Legend(QWidget* parent = nullptr);
    void setEntries(std::vector<SeriesStyle> entries);
    const std::vector<SeriesStyle>& entries() const { return entries_; }
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return {80, heightForWidth(std::max(80, width()))}; }
    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    bool event(QEvent* event) override;

private:
    std::vector<QRectF> places(int width) const;
    std::vector<SeriesStyle> entries_;
};

}  // namespace highwater::widgets
