#pragma once

#include <QLabel>

namespace highwater::widgets {

/// A label that wraps its words and is never lower than its text. A plain QLabel with word wrap in a pane
/// that is too low paints over the widget above it, because QSplitter ignores heightForWidth().
class WrappedLabel : public QLabel {
    Q_OBJECT
public:
    explicit WrappedLabel(QWidget* parent = nullptr);
    QSize minimumSizeHint() const override;

protected:
    void resizeEvent(QResizeEvent* event) override;
};

}  // namespace highwater::widgets
