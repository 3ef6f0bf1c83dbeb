#include "widgets/controls/notice_bar.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QTimer>
#include <QToolButton>

#include <algorithm>
#include <utility>

#include "widgets/theme/theme.h"

namespace highwater::widgets {

namespace {
constexpr int kReadMs = 8000;
}

NoticeBar::NoticeBar(QWidget* parent)
    : QFrame(parent),
      icon_(new QLabel),
      text_(new QLabel),
      action_(new QPushButton),
      timer_(new QTimer(this)) {
    setObjectName("notice");
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(12, 6, 8, 6);
    auto* dismissal = new QToolButton;
    dismissal->setText(QStringLiteral("✕"));
    dismissal->setAutoRaise(true);
    dismissal->setToolTip(tr("Dismiss"));
    text_->setWordWrap(true);
    text_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    text_->setTextFormat(Qt::PlainText);
    row->addWidget(icon_);
    row->addWidget(text_, 1);
    row->addWidget(action_);
    row->addWidget(dismissal);
    connect(dismissal, &QToolButton::clicked, this, &NoticeBar::dismiss);
    connect(action_, &QPushButton::clicked, this, [this] {
        const auto act = act_;
        dismiss();
        if (act) {
            act();
        }
    });
    timer_->setSingleShot(true);
    connect(timer_, &QTimer::timeout, this, &NoticeBar::dismiss);
    connect(&widgets::ThemeNotifier::instance(), &widgets::ThemeNotifier::changed, this, &NoticeBar::paint);
    hide();
}

void NoticeBar::show(Kind kind, const QString& text, const QString& action, std::function<void()> act) {
    kind_ = kind;
    about_ = About::Other;
    act_ = std::move(act);
    text_->setText(text);
    action_->setText(action);
    action_->setVisible(!action.isEmpty());
    paint();
    setVisible(true);
    const bool passes = (kind == Kind::Done || kind == Kind::Info) && action.isEmpty();
    passes ? timer_->start(kReadMs) : timer_->stop();
}

void NoticeBar::showNext(Kind kind, const QString& text, About about, const QString& action,
                         std::function<void()> act) {
    nextAbout_ = about;
    next_ = [this, kind, text, about, action, act = std::move(act)] {
        show(kind, text, action, act);
        setAbout(about);
    };
    if (isHidden()) {
        dismiss();
    }
}

void NoticeBar::withdraw(std::initializer_list<About> abouts) {
    const auto concerns = [&](About about) { return std::ranges::find(abouts, about) != abouts.end(); };
    if (concerns(nextAbout_)) {
        next_ = {};
    }
    if (concerns(about_)) {
        dismiss();
    }
}

void NoticeBar::dismiss() {
    hide();
    if (const auto next = std::exchange(next_, {})) {
        next();
    }
}

QString NoticeBar::text() const {
    return isHidden() ? QString() : text_->text();
}

void NoticeBar::paint() {
    const widgets::Theme& t = widgets::theme();
    const QColor colors[] = {t.good, t.accent, t.warning, t.bad};
    constexpr const char* kIcons[] = {"✓", "i", "!", "!"};
    const auto kind = static_cast<std::size_t>(kind_);
    const QColor& color = colors[kind];
    icon_->setText(kIcons[kind]);
    icon_->setStyleSheet(QString("color: %1; font-weight: bold;").arg(color.name()));
    setStyleSheet(QString("#notice { background: %1; border: 0; border-left: 3px solid %2; }")
                      .arg(t.header.name(), color.name()));
}

}  // namespace highwater::widgets

#include "moc_notice_bar.cpp"
