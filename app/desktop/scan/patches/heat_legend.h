#pragma once

#include <QWidget>

namespace highwater::desktop {

/// The color scale of the coverage map with its numbers, from 0 to `most` samples.
class HeatLegend : public QWidget {
    Q_OBJECT
public:
    explicit HeatLegend(QWidget* parent = nullptr);
    void setMost(double most);
    QString mostText() const;
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

private:
    void paintEvent(QPaintEvent* event) override;
    double most_ = 0;
};

}  // namespace highwater::desktop
