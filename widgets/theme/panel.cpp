#include "widgets/theme/panel.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QSplitter>
#include <QStyle>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "widgets/theme/theme.h"

namespace highwater::widgets {

QLabel* textLabel(QWidget* parent) {
    auto* label = new QLabel(parent);
    label->setTextFormat(Qt::PlainText);
    label->setWordWrap(true);
    return label;
}

QSplitter* makeSplitter(Qt::Orientation orientation, std::initializer_list<QWidget*> parts,
                        const QList<int>& sizes) {
    auto* splitter = new QSplitter(orientation);
    splitter->setHandleWidth(1);
    splitter->setChildrenCollapsible(false);
    for (QWidget* part : parts) {
        splitter->addWidget(part);
    }
    if (!sizes.isEmpty()) {
        splitter->setSizes(sizes);
    }
    return splitter;
}

void setLook(QWidget& widget, const char* property, bool value) {
    widget.setProperty(property, value);
    widget.style()->unpolish(&widget);
    widget.style()->polish(&widget);
}

QToolButton* linkButton(const QString& text, const QString& tip, QWidget* parent) {
    auto* button = new QToolButton(parent);
    button->setProperty("link", true);
    button->setText(text);
    button->setToolTip(tip);
    return button;
}

QFont smallFont(const QFont& base) {
    QFont font = base;
    if (base.pointSizeF() > 0) {
        font.setPointSizeF(base.pointSizeF() * 0.85);
    }
    return font;
}

Mark::Mark(QWidget* parent) : QFrame(parent), text_(new ElidedLabel(this)) {
    text_->setFont(smallFont(font()));
    makeLayout<QHBoxLayout>(this, 0, {6, 0, 6, 0})->addWidget(text_);
    setFixedHeight(QFontMetrics(text_->font()).height() + 6);
    setObjectName("mark");
    hide();
    connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, this, [this] { set(text(), warns_); });
}

QString Mark::text() const {
    return text_->text();
}

void Mark::set(const QString& text, bool warns) {
    const Theme& t = theme();
    // Shortens "run #2: batch 2, 48³, differs from the current experiment" from the end; the part before the
    // colon always stays.
    QStringList shorter;
    for (QString rest = text; rest.contains(','); shorter << rest) {
        rest = rest.section(',', 0, -2);
    }
    shorter << text.section(':', 0, 0);
    text_->setText(text, shorter);
    text_->setMinimumWidth(QFontMetrics(text_->font()).horizontalAdvance(shorter.back()) + 2);
    warns_ = warns;
    setStyleSheet(QString("#mark { border: 1px solid %1; border-radius: 4px; }")
                      .arg((warns ? t.warning : t.accent).name()));
    setVisible(!text.isEmpty());
}

Panel::Panel(const QString& title, QWidget* parent) : QWidget(parent) {
    title_ = new QLabel(this);
    QFont bold = font();
    bold.setWeight(QFont::DemiBold);
    title_->setFont(bold);
    note_ = new ElidedLabel(this);
    note_->setMuted(true);
    note_->setFont(smallFont(font()));
    note_->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    note_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);  // shrinks before title, mark and links

    strip_ = new QWidget(this);
    strip_->setFixedHeight(kHeaderHeight);
    header_ = makeLayout<QHBoxLayout>(strip_, 8, {10, 0, 10, 0});
    mark_ = new Mark(this);
    header_->addWidget(title_);
    header_->addWidget(mark_, 0, Qt::AlignVCenter);
    header_->addWidget(note_, 1);

    layout_ = makeLayout<QVBoxLayout>(this, 0);
    layout_->addWidget(strip_, 0, Qt::AlignTop);
    setTitle(title);
    connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, this, [this] { update(); });
}

void Panel::setMark(const QString& mark, bool warns) {
    if (mark != mark_->text() || warns != mark_->warns()) {
        mark_->set(mark, warns);
        emit markChanged(mark, warns);
    }
}

QString Panel::mark() const {
    return mark_->text();
}

bool Panel::markWarns() const {
    return mark_->warns();
}

void Panel::setTitle(const QString& title) {
    title_->setTextFormat(Qt::PlainText);
    title_->setText(title);
}

QString Panel::title() const {
    return title_->text();
}

void Panel::setNote(const QString& note, const QStringList& shorter) {
    if (note == note_->text() && shorter == note_->shorter()) {
        return;
    }
    note_->setText(note, shorter);
    emit noteChanged(note);
}

void Panel::setHeaderVisible(bool visible) {
    strip_->setVisible(visible);
    update();
}

QString Panel::note() const {
    return note_->text();
}

QStringList Panel::shorterNotes() const {
    return note_->shorter();
}

void Panel::setBody(QWidget* body) {
    if (body == body_) {
        return;
    }
    delete body_;
    body_ = body;
    if (body) {
        layout_->addWidget(body, 1);
    }
}

void Panel::addHeaderWidget(QWidget* widget) {
    header_->addWidget(widget);
}

void Panel::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const QRect strip(0, 0, width(), kHeaderHeight);
    painter.fillRect(rect(), theme().window);
    if (strip_->isHidden()) {
        return;
    }
    painter.fillRect(strip, theme().header);
    painter.fillRect(0, kHeaderHeight - 1, width(), 1, theme().border);
}

ElidedLabel::ElidedLabel(QWidget* parent) : QWidget(parent) {
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
}

void ElidedLabel::setText(const QString& text, const QStringList& shorter) {
    if (text == text_ && shorter == shorter_) {
        return;
    }
    text_ = text;
    shorter_ = shorter;
    updateGeometry();
    updateToolTip();
    update();
}

void ElidedLabel::setMuted(bool muted) {
    muted_ = muted;
    update();
}

QSize ElidedLabel::sizeHint() const {
    return {fontMetrics().horizontalAdvance(text_) + 2, fontMetrics().height() + 2};
}

QSize ElidedLabel::minimumSizeHint() const {
    return {0, fontMetrics().height() + 2};
}

QString ElidedLabel::shownText() const {
    const auto fits = [this](const QString& text) {
        return fontMetrics().horizontalAdvance(text) <= width();
    };
    if (fits(text_)) {
        return text_;
    }
    if (const auto best = std::ranges::find_if(shorter_, fits); best != shorter_.end()) {
        return *best;
    }
    const QString& last = shorter_.isEmpty() ? text_ : shorter_.back();
    const QString cut = fontMetrics().elidedText(last, Qt::ElideRight, width());
    return muted_ && 2 * cut.size() < last.size() ? QString() : cut;  // "hig…" says nothing; the tooltip does
}

void ElidedLabel::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setPen(muted_ ? theme().mutedText : palette().color(QPalette::WindowText));
    painter.drawText(rect(), static_cast<int>(alignment_) | Qt::TextSingleLine, shownText());
}

void ElidedLabel::resizeEvent(QResizeEvent*) {
    updateToolTip();
}

void ElidedLabel::updateToolTip() {
    const bool cut = fontMetrics().horizontalAdvance(text_) > width();
    setToolTip(cut ? text_ : QString());
}

}  // namespace highwater::widgets

#include "moc_panel.cpp"
