#include "widgets/theme/wrapped_label.h"

#include <QResizeEvent>

#include <algorithm>

namespace highwater::widgets {

WrappedLabel::WrappedLabel(QWidget* parent) : QLabel(parent) {
    setWordWrap(true);
}

QSize WrappedLabel::minimumSizeHint() const {
    const QSize least = QLabel::minimumSizeHint();
    return {least.width(), text().isEmpty() ? 0 : heightForWidth(std::max(width(), least.width()))};
}

void WrappedLabel::resizeEvent(QResizeEvent* event) {
    QLabel::resizeEvent(event);
    if (event->size().width() != event->oldSize().width()) {
        updateGeometry();
    }
}

}  // namespace highwater::widgets

#include "moc_wrapped_label.cpp"
