#pragma once

#include <QFrame>
#include <QMargins>
#include <QWidget>

class QHBoxLayout;
class QLabel;
class QSplitter;
class QToolButton;
class QVBoxLayout;

namespace highwater::widgets {

class ElidedLabel;
class Mark;

/// A titled part of the window: a header strip (title on the left, small gray note on the right) with the
/// body below.
class Panel : public QWidget {
    Q_OBJECT
public:
    explicit Panel(const QString& title = {}, QWidget* parent = nullptr);

    void setTitle(const QString& title);
    QString title() const;
    /// Plain text. If the header is too narrow, the first of `shorter` that fits is shown, or the last one
    /// elided with "…"; the tooltip then shows all of it.
    void setNote(const QString& note, const QStringList& shorter = {});
    QString note() const;
    QStringList shorterNotes() const;
    /// A framed word after the title that says what the panel shows, where it could be mistaken: "run #2:
    /// batch 2, 48³". `warns` marks something unexpected. Empty: no mark.
    void setMark(const QString& mark, bool warns = false);
    QString mark() const;
    bool markWarns() const;
    /// Sets the body and takes ownership. Deletes the previous body.
    void setBody(QWidget* body);
    QWidget* body() const { return body_; }
    /// Adds a widget at the right end of the header, after the note (links, small buttons).
    void addHeaderWidget(QWidget* widget);

    /// Hides the header, for a panel whose surroundings already show its title.
    void setHeaderVisible(bool visible);

    static constexpr int kHeaderHeight = 31;

signals:
    void noteChanged(const QString& note);
    void markChanged(const QString& mark, bool warns);

private:
    void paintEvent(QPaintEvent* event) override;

    QLabel* title_;
    Mark* mark_;
    ElidedLabel* note_;
    QWidget* strip_;
    QHBoxLayout* header_;
    QVBoxLayout* layout_;
    QWidget* body_ = nullptr;
};

/// A line of text. If there is too little room, it shows the first of the shorter texts that fits, or the
/// last of them elided with "…"; the tooltip then shows the whole text. The color is the palette's text color
/// unless `muted`.
class ElidedLabel : public QWidget {
    Q_OBJECT
public:
    explicit ElidedLabel(QWidget* parent = nullptr);
    void setText(const QString& text, const QStringList& shorter = {});
    QString text() const { return text_; }
    QStringList shorter() const { return shorter_; }
    QString shownText() const;  ///< the text as painted
    void setAlignment(Qt::Alignment alignment) { alignment_ = alignment; }
    void setMuted(bool muted);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

private:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void updateToolTip();
    QString text_;
    QStringList shorter_;
    Qt::Alignment alignment_ = Qt::AlignLeft | Qt::AlignVCenter;
    bool muted_ = false;
};

/// A framed word in a header, hidden while empty. In a narrow header only the part before the colon stays.
class Mark : public QFrame {
public:
    explicit Mark(QWidget* parent = nullptr);
    void set(const QString& text, bool warns);
    QString text() const;
    bool warns() const { return warns_; }

private:
    ElidedLabel* text_;
    bool warns_ = false;
};

/// A QHBoxLayout or QVBoxLayout in `parent`, which may be null, with this spacing and these margins in
/// pixels.
template <class Layout>
Layout* makeLayout(QWidget* parent, int spacing, const QMargins& margins = {}) {
    auto* layout = new Layout(parent);
    layout->setContentsMargins(margins);
    layout->setSpacing(spacing);
    return layout;
}

/// A label of plain text that wraps.
QLabel* textLabel(QWidget* parent);

/// A splitter of these parts, none of which can be collapsed; with these sizes at first.
QSplitter* makeSplitter(Qt::Orientation orientation, std::initializer_list<QWidget*> parts,
                        const QList<int>& sizes = {});

/// Sets a property that the style sheet distinguishes, and has the widget drawn accordingly.
void setLook(QWidget& widget, const char* property, bool value);

/// A button that reads as a link.
QToolButton* linkButton(const QString& text, const QString& tip, QWidget* parent);

/// The small font of notes: 85 % of the widget's.
QFont smallFont(const QFont& base);

}  // namespace highwater::widgets
