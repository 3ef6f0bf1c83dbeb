#include "app/desktop/experiment/settings/augment_row.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QSignalBlocker>
#include <QToolButton>

#include "app/desktop/experiment/settings/augment_words.h"
#include "app/desktop/experiment/stack/sizes_text.h"
#include "widgets/controls/checked_edit.h"
#include "widgets/theme/panel.h"

namespace highwater::desktop {

namespace {

constexpr double kMostAmount = 360;  // the contract's limit

QString reason(const base::Result<double>& value) {
    return value ? QString() : QString::fromStdString(value.error().message);
}

/// Empty text means the default amount.
base::Result<double> parseAmount(const QString& text) {
    return text.trimmed().isEmpty() ? base::Result<double>(0.0) : parseNumber(text, 0, kMostAmount);
}

base::Result<double> parseChance(const QString& text) {
    return parseNumber(text, 0, 1);
}

}  // namespace

AugmentRow::AugmentRow(int number, QWidget* parent) : QWidget(parent) {
    const auto name = [number](const char* what) { return QString("augment %1 %2").arg(number).arg(what); };
    kind_ = new QComboBox(this);
    kind_->addItems(augmentationNames());
    kind_->setFocusPolicy(Qt::StrongFocus);
    for (int i = 0; i < kind_->count(); ++i) {
        kind_->setItemData(i, augmentationTip(static_cast<stack::Augmentation::Kind>(i)), Qt::ToolTipRole);
    }
    p_ = new widgets::CheckedEdit([](const QString& text) { return reason(parseChance(text)); }, this);
    p_->setHint(tr("p: its probability for a patch, 0 to 1"));
    amount_ = new widgets::CheckedEdit([](const QString& text) { return reason(parseAmount(text)); }, this);
    unit_ = new QLabel(this);
    unit_->setProperty("muted", true);
    up_ = button(QStringLiteral("↑"), name("up"), tr("Earlier (Alt+Up)"));
    down_ = button(QStringLiteral("↓"), name("down"), tr("Later (Alt+Down)"));
    remove_ = button(QStringLiteral("✕"), name("remove"), tr("Remove it"));
    kind_->setObjectName(name("type"));
    p_->setObjectName(name("p"));
    amount_->setObjectName(name("amount"));
    for (QWidget* field :
         {static_cast<QWidget*>(kind_), static_cast<QWidget*>(p_), static_cast<QWidget*>(amount_)}) {
        field->setAccessibleName(field->objectName());
    }

    auto* row = widgets::makeLayout<QHBoxLayout>(this, 4);
    row->addWidget(kind_, 5);
    row->addWidget(p_, 2);
    row->addWidget(amount_, 3);
    row->addWidget(unit_);
    row->addWidget(up_);
    row->addWidget(down_);
    row->addWidget(remove_);
    unit_->setFixedWidth(unit_->fontMetrics().horizontalAdvance("vx") + 2);
    for (widgets::CheckedEdit* edit : {p_, amount_}) {
        edit->setMinimumWidth(40);
        edit->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    }
    kind_->setMinimumContentsLength(4);
    kind_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    connectFields();
}

QToolButton* AugmentRow::button(const QString& text, const QString& name, const QString& tip) {
    auto* made = new QToolButton(this);
    made->setText(text);
    made->setToolTip(tip);
    made->setObjectName(name);
    made->setAccessibleName(name);
    made->setProperty("slim", true);
    made->setFixedWidth(22);
    made->setFocusPolicy(Qt::TabFocus);
    return made;
}

void AugmentRow::connectFields() {
    connect(kind_, &QComboBox::activated, this, [this](int index) {
        change({}, [index](stack::Augmentation& a) {
            a = {static_cast<stack::Augmentation::Kind>(index), a.p, 0};  // another kind, another unit
        });
    });
    connect(p_, &widgets::CheckedEdit::edited, this, [this](const QString& text) {
        change("p", [&](stack::Augmentation& a) { a.p = *parseChance(text); });
    });
    connect(amount_, &widgets::CheckedEdit::edited, this, [this](const QString& text) {
        change("amount", [&](stack::Augmentation& a) { a.amount = *parseAmount(text); });
    });
    connect(up_, &QToolButton::clicked, this, [this] { emit moveWanted(-1); });
    connect(down_, &QToolButton::clicked, this, [this] { emit moveWanted(1); });
    connect(remove_, &QToolButton::clicked, this, &AugmentRow::removeWanted);
}

void AugmentRow::change(const QString& what, const std::function<void(stack::Augmentation&)>& change) {
    stack::Augmentation to = shown_;
    change(to);
    emit changed(to, what);
}

void AugmentRow::showValue(const stack::Augmentation& a, bool first, bool last) {
    shown_ = a;
    const QSignalBlocker quiet(kind_);
    kind_->setCurrentIndex(static_cast<int>(a.kind));
    kind_->setToolTip(augmentationTip(a.kind));
    p_->showValue(numberText(a.p), [&](const QString& typed) { return *parseChance(typed) == a.p; });
    const AmountWords words = amountWords(a.kind);
    const bool has = !words.unit.isEmpty();
    amount_->setEnabled(has);
    amount_->setPlaceholderText(has ? defaultAmountText(a.kind) : QStringLiteral("—"));
    amount_->setHint(has ? words.meaning + '\n' + tr("Empty: %1").arg(defaultAmountText(a.kind))
                         : tr("It has no amount"));
    amount_->showValue(a.amount == 0 ? QString() : numberText(a.amount),
                       [&](const QString& typed) { return *parseAmount(typed) == a.amount; });
    unit_->setText(words.unit);
    up_->setEnabled(!first);
    down_->setEnabled(!last);
}

void AugmentRow::keyPressEvent(QKeyEvent* event) {
    const int by = event->key() == Qt::Key_Up ? -1 : event->key() == Qt::Key_Down ? 1 : 0;
    const QToolButton* way = by < 0 ? up_ : down_;
    if (by == 0 || event->modifiers() != Qt::AltModifier) {
        return QWidget::keyPressEvent(event);
    }
    if (way->isEnabled()) {
        emit moveWanted(by);
    }
}

}  // namespace highwater::desktop

#include "moc_augment_row.cpp"
