#pragma once

#include <QLabel>

namespace highwater::widgets {

/// A label that wraps its words and is never lower than its text: a plain QLabel with word wrap in a pane
/// that is too low is painted over what stands above it, because splitters do not ask for the height of a
/// width.
class WrappedLabel : public QLabel {
    Q_OBJECT
public:
    explicit WrappedLabel(QWidget* parent = nullptr);
    QSize minimumSizeHint() const override;

protected:
    void resizeEvent(QResizeEvent* event) override;
};

}  // namespace highwater::widgets
