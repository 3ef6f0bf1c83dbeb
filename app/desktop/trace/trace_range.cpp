#include "app/desktop/trace/trace_range.h"

#include <QDialogButtonBox>
#include <QGridLayout>
#include <QLabel>
#include <QPushButton>
#include <QRadioButton>
#include <QSpinBox>
#include <algorithm>
#include <limits>

#include "core/base/text.h"
#include "widgets/timeline/timeline_words.h"

namespace highwater::desktop {

namespace {

// Measured for trace and index together: see widgets/timeline/trace_index.h.
constexpr std::int64_t kBytesAnEvent = 68;

QSpinBox* spinBox(QWidget* parent, std::int64_t low, std::int64_t high, std::int64_t value) {
    const auto cut = [](std::int64_t v) {
        return static_cast<int>(std::clamp<std::int64_t>(v, 0, std::numeric_limits<int>::max()));
    };
    auto* box = new QSpinBox(parent);
    box->setRange(cut(low), cut(high));
    box->setValue(cut(value));
    box->setGroupSeparatorShown(true);
    return box;
}

}  // namespace

capture::Range rangeOfSteps(const TraceSize& size, std::size_t first, std::size_t last) {
    const auto begin = [&](std::size_t step) {
        return step < size.steps.size() ? static_cast<std::int64_t>(size.steps[step].event) : size.events;
    };
    return {begin(first), begin(last + 1) - begin(first)};
}

TraceRangeDialog::TraceRangeDialog(const TraceSource& source, const TraceSize& size, QWidget* parent)
    : QDialog(parent), size_(size) {
    setWindowTitle(tr("A large capture"));
    setMinimumWidth(440);
    auto* text =
        new QLabel(tr("%1 has %2 events, %3 at its peak. Load a part of it, or all?")
                       .arg(source.title, widgets::countText(size.events), widgets::bytesText(size.peak)));
    text->setWordWrap(true);
    text->setTextFormat(Qt::PlainText);
    all_ = new QRadioButton(tr("&everything"));
    steps_ = new QRadioButton(tr("&steps"));
    events_ = new QRadioButton(tr("&events from"));
    const auto steps = static_cast<std::int64_t>(size.steps.size());
    firstStep_ = spinBox(this, 1, std::max<std::int64_t>(1, steps), 1);
    lastStep_ = spinBox(this, 1, std::max<std::int64_t>(1, steps), std::min<std::int64_t>(2, steps));
    firstEvent_ = spinBox(this, 0, size.events - 1, 0);
    eventCount_ = spinBox(this, 1, size.events, std::min<std::int64_t>(size.events, 2'000'000));
    cost_ = new QLabel;
    cost_->setProperty("muted", true);
    steps_->setEnabled(steps > 0);
    (steps > 0 ? steps_ : events_)->setChecked(true);

    auto* grid = new QGridLayout;
    grid->addWidget(steps_, 0, 0);
    grid->addWidget(firstStep_, 0, 1);
    grid->addWidget(new QLabel(tr("to")), 0, 2);
    grid->addWidget(lastStep_, 0, 3);
    grid->addWidget(events_, 1, 0);
    grid->addWidget(firstEvent_, 1, 1);
    grid->addWidget(new QLabel(tr("count")), 1, 2);
    grid->addWidget(eventCount_, 1, 3);
    grid->addWidget(all_, 2, 0);
    grid->setColumnStretch(4, 1);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel);
    buttons->addButton(tr("Load"), QDialogButtonBox::AcceptRole)->setProperty("primary", true);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(text);
    layout->addLayout(grid);
    layout->addWidget(cost_);
    layout->addWidget(buttons);
    for (QRadioButton* button : {all_, steps_, events_}) {
        connect(button, &QRadioButton::toggled, this, &TraceRangeDialog::update);
    }
    for (QSpinBox* box : {firstStep_, lastStep_, firstEvent_, eventCount_}) {
        connect(box, &QSpinBox::valueChanged, this, &TraceRangeDialog::update);
    }
    update();
}

std::optional<capture::Range> TraceRangeDialog::range() const {
    if (all_->isChecked()) {
        return {};
    }
    if (steps_->isChecked()) {
        const int first = std::min(firstStep_->value(), lastStep_->value());
        const int last = std::max(firstStep_->value(), lastStep_->value());
        return rangeOfSteps(size_, static_cast<std::size_t>(first - 1), static_cast<std::size_t>(last - 1));
    }
    const std::int64_t first = firstEvent_->value();
    return capture::Range{first, std::min<std::int64_t>(eventCount_->value(), size_.events - first)};
}

void TraceRangeDialog::update() {
    for (QSpinBox* box : {firstStep_, lastStep_}) {
        box->setEnabled(steps_->isChecked());
    }
    for (QSpinBox* box : {firstEvent_, eventCount_}) {
        box->setEnabled(events_->isChecked());
    }
    const auto part = range();
    const std::int64_t events = part ? part->count : size_.events;
    cost_->setText(tr("%1 events; showing them takes about %2 of memory.")
                       .arg(widgets::countText(events), widgets::bytesText(events * kBytesAnEvent)));
}

}  // namespace highwater::desktop

#include "moc_trace_range.cpp"
