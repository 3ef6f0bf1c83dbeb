#include "app/desktop/scan/cases/case_stepper.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <QToolButton>
#include <algorithm>

#include "app/desktop/scan/cases/show_names.h"
#include "widgets/theme/panel.h"

namespace highwater::desktop {

namespace {

QToolButton* stepButton(Qt::ArrowType arrow, const QString& tip, const QKeySequence& keys, QWidget* parent) {
    auto* button = new QToolButton(parent);
    button->setArrowType(arrow);
    button->setShortcut(keys);
    button->setToolTip(QStringLiteral("%1 (%2)").arg(tip, keys.toString()));
    button->setAccessibleName(tip);
    button->setObjectName(tip);
    return button;
}

}  // namespace

CaseStepper::CaseStepper(QWidget* parent)
    : QWidget(parent),
      choice_(new QComboBox(this)),
      of_(new QLabel(this)),
      back_(stepButton(Qt::LeftArrow, tr("Case before"), QKeySequence("Ctrl+PgUp"), this)),
      next_(stepButton(Qt::RightArrow, tr("Next case"), QKeySequence("Ctrl+PgDown"), this)) {
    auto* title = new QLabel(tr("Case"), this);
    title->setProperty("muted", true);
    title->setBuddy(choice_);
    of_->setProperty("muted", true);
    choice_->setObjectName("Case");
    choice_->setAccessibleName(tr("Case"));
    choice_->setToolTip(tr("The case of the cohort that is shown; a run takes patches from all of them"));
    choice_->setMinimumContentsLength(8);
    choice_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    auto* row = widgets::makeLayout<QHBoxLayout>(this, 6);
    row->addWidget(title);
    row->addWidget(back_);
    row->addWidget(choice_, 1);
    row->addWidget(next_);
    row->addWidget(of_);
    connect(choice_, &QComboBox::currentIndexChanged, this, [this](int place) {
        refresh();
        if (place >= 0) {
            emit caseChosen(place);
        }
    });
    connect(back_, &QToolButton::clicked, this, [this] { step(-1); });
    connect(next_, &QToolButton::clicked, this, [this] { step(1); });
    setCases({}, -1);
}

void CaseStepper::setCases(const QStringList& names, int current) {
    {
        const QSignalBlocker quiet(choice_);
        showNames(*choice_, names, current);
    }
    setVisible(!names.isEmpty());
    refresh();
}

void CaseStepper::refresh() {
    of_->setText(tr("%1 of %2").arg(current() + 1).arg(choice_->count()));
    back_->setEnabled(current() > 0);
    next_->setEnabled(current() + 1 < choice_->count());
}

int CaseStepper::current() const {
    return choice_->currentIndex();
}

void CaseStepper::step(int by) {
    choice_->setCurrentIndex(std::clamp(current() + by, 0, std::max(0, choice_->count() - 1)));
}

}  // namespace highwater::desktop

#include "moc_case_stepper.cpp"
