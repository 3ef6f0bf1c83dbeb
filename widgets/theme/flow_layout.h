#pragma once

#include <QLayout>
#include <vector>

namespace highwater::widgets {

/// Lays out items from left to right, wrapping into as many lines as needed. Hidden items are skipped. The
/// last item fills the rest of its line; if that is less than its minimum width, it moves to the next line.
class FlowLayout : public QLayout {
    Q_OBJECT
public:
    explicit FlowLayout(QWidget* parent = nullptr);
    ~FlowLayout() override;

    void addItem(QLayoutItem* item) override;
    int count() const override { return static_cast<int>(items_.size()); }
    QLayoutItem* itemAt(int index) const override;
    QLayoutItem* takeAt(int index) override;
    Qt::Orientations expandingDirections() const override { return {}; }
    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;
    QSize minimumSize() const override;
    QSize sizeHint() const override;
    void setGeometry(const QRect& rect) override;

private:
    int arrange(const QRect& rect, bool apply) const;
    std::vector<QLayoutItem*> items_;
};

}  // namespace highwater::widgets
