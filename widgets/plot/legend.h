#pragma once

#include <QWidget>
#include <vector>

#include "widgets/plot/chart_scene.h"

namespace highwater::widgets {

/// A row of color swatches with names. It wraps if it is too narrow. A dense one has a single, low line; if
/// it has no room for all entries, it drops those of the lowest weight and ends with their number ("+3"),
/// whose tooltip names them.
class Legend : public QWidget {
public:
    explicit Legend(QWidget* parent = nullptr);
    void setEntries(std::vector<SeriesStyle> entries);
    const std::vector<SeriesStyle>& entries() const { return entries_; }
    void setDense(bool on);
    int heightForWidth(int width, bool dense) const;
    /// The names as painted, from left to right, followed by "+3" if some were dropped.
    QStringList shown() const;
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return {80, heightForWidth(std::max(80, width()))}; }
    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override { return heightForWidth(width, dense_); }

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    bool event(QEvent* event) override;

private:
    struct Place {
        std::size_t entry;
        QRectF box;
    };
    struct Places {
        std::vector<Place> entries;  ///< the entries that fit, in their order
        QRectF more;                 ///< place of the number of dropped entries; empty if none
    };
    Places places() const { return dense_ ? inOneLine(width()) : wrapped(width()); }
    Places wrapped(int width) const;
    Places inOneLine(int width) const;
    double widthOf(std::size_t entry, const QFontMetricsF& metrics) const;
    QString moreText(std::size_t shown) const;
    QString meaningOfMore(const Places& places) const;
    bool dense_ = false;
    std::vector<SeriesStyle> entries_;
};

}  // namespace highwater::widgets
