#pragma once

#include <QMargins>
#include <QWidget>

class QHBoxLayout;
class QLabel;
class QToolButton;
class QVBoxLayout;

namespace highwater::widgets {

class ElidedLabel;

/// A titled part of the window: a header strip (title left, small grey note right), the body beneath.
class Panel : public QWidget {
    Q_OBJECT
public:
    explicit Panel(const QString& title = {}, QWidget* parent = nullptr);

    void setTitle(const QString& title);
    QString title() const;
    /// Plain text; shortened with "…" where the header is too narrow, whole in the tooltip.
    void setNote(const QString& note);
    QString note() const;
    /// Takes the widget over; replaces (and deletes) the one before.
    void setBody(QWidget* body);
    QWidget* body() const { return body_; }
    /// An extra widget at the right end of the header, after the note (links, small buttons).
    void addHeaderWidget(QWidget* widget);

    /// Without a header where something around the panel stands for it.
    void setHeaderVisible(bool visible);

    static constexpr int kHeaderHeight = 31;

signals:
    void noteChanged(const QString& note);

private:
    void paintEvent(QPaintEvent* event) override;

    QLabel* title_;
    ElidedLabel* note_;
    QWidget* strip_;
    QHBoxLayout* header_;
    QVBoxLayout* layout_;
    QWidget* body_ = nullptr;
};

/// A line of text that shortens with "…" instead of demanding room; the whole text is its tooltip while it is
/// cut. Colour: the palette's text unless `muted`.
class ElidedLabel : public QWidget {
    Q_OBJECT
public:
    explicit ElidedLabel(QWidget* parent = nullptr);
    void setText(const QString& text);
    QString text() const { return text_; }
    void setAlignment(Qt::Alignment alignment) { alignment_ = alignment; }
    void setMuted(bool muted);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

private:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void updateToolTip();
    QString text_;
    Qt::Alignment alignment_ = Qt::AlignLeft | Qt::AlignVCenter;
    bool muted_ = false;
};

/// A QHBoxLayout or QVBoxLayout in `parent`, which may be null: pixels between its parts, and around them.
template <class Layout>
Layout* makeLayout(QWidget* parent, int spacing, const QMargins& margins = {}) {
    auto* layout = new Layout(parent);
    layout->setContentsMargins(margins);
    layout->setSpacing(spacing);
    return layout;
}

/// A button that reads as a link.
QToolButton* linkButton(const QString& text, const QString& tip, QWidget* parent);

/// The small font of notes: 85 % of the widget's.
QFont smallFont(const QFont& base);

}  // namespace highwater::widgets
