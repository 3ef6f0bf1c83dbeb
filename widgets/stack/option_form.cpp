#include "widgets/stack/option_form.h"

#include <QCheckBox>
#include <QComboBox>
#include <QGridLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QVBoxLayout>

#include "widgets/stack/checked_edit.h"
#include "widgets/stack/scrub.h"
#include "widgets/theme/panel.h"

namespace highwater::widgets {

namespace {

constexpr int kLastRow = 100;  // takes what height is left

template <class T>
QString reason(const base::Result<T>& result) {
    return result ? QString() : QString::fromStdString(result.error().message);
}

/// All numbers one step up or down, kept within the rule.
QString steppedSizes(const QString& text, int by, const SizeRule& rule) {
    auto sizes = parseSizes(text, rule);
    if (!sizes || sizes->empty())
        return {};
    for (std::int64_t& size : *sizes)
        size = std::clamp(size + by, rule.low, rule.high);
    return sizesText(*sizes);
}

QString paddingText(const stack::Padding& padding) {
    return padding.same ? QString("same") : sizesText(padding.sizes);
}

base::Result<stack::Padding> parsePadding(const QString& text) {
    if (text.trimmed().compare("same", Qt::CaseInsensitive) == 0)
        return stack::Padding{true, {0}};
    auto sizes = parseSizes(text, {.low = 0, .high = 100'000});
    if (!sizes)
        return base::Error{sizes.error().message + ", or “same”"};
    return stack::Padding{false, std::move(*sizes)};
}

}  // namespace

OptionForm::OptionForm(QWidget* parent) : QWidget(parent), grid_(new QGridLayout(this)) {
    grid_->setContentsMargins(10, 8, 10, 8);
    grid_->setHorizontalSpacing(8);
    grid_->setVerticalSpacing(8);
    grid_->setColumnStretch(0, 1);
    grid_->setColumnStretch(1, 1);
    grid_->setRowStretch(kLastRow, 1);
}

/// A field whose value has steps: its label is a handle.
void OptionForm::makeHandle(CheckedEdit* edit) {
    Scrub::attach(edit->parentWidget()->findChild<QLabel*>(), edit);
}

void OptionForm::place(const QString& key, const QString& tip, QWidget* editor) {
    auto* cell = new QWidget(this);
    auto* layout = new QVBoxLayout(cell);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(3);
    auto* label = new QLabel(key, cell);
    label->setProperty("muted", true);
    label->setToolTip(tip);
    label->setBuddy(editor);
    layout->addWidget(label);
    layout->addWidget(editor);
    editor->setToolTip(tip);
    editor->setAccessibleName(key);
    editor->setObjectName(key);
    editor->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    if (auto* spin = qobject_cast<QSpinBox*>(editor))
        Scrub::attach(label, spin);
    grid_->addWidget(cell, fields_ / 2, fields_ % 2, Qt::AlignTop);
    ++fields_;
}

CheckedEdit* OptionForm::addChecked(const QString& key, const QString& tip,
                                    std::function<QString(const QString&)> check) {
    auto* edit = new CheckedEdit(std::move(check), this);
    connect(edit, &CheckedEdit::rejected, this, [this, key](const QString& why) { emit rejected(key, why); });
    place(key, tip, edit);
    edit->setHint(tip);
    return edit;
}

void OptionForm::addInteger(const QString& key, const QString& tip, std::int64_t low, Get<std::int64_t> get,
                            Set<std::int64_t> set) {
    auto* spin = new QSpinBox(this);
    spin->setRange(static_cast<int>(low), 1'000'000);
    connect(spin, &QSpinBox::valueChanged, this, [this, key, set](int value) {
        emit changed(key, [set, value](stack::Layer& layer) { set(layer, value); });
    });
    shows_.push_back([spin, get](const stack::Layer& layer, const stack::Experiment&) {
        const QSignalBlocker quiet(spin);
        spin->setValue(
            static_cast<int>(std::clamp<std::int64_t>(get(layer), spin->minimum(), spin->maximum())));
    });
    place(key, tip, spin);
}

void OptionForm::addNumber(const QString& key, const QString& tip, double low, double high, Get<double> get,
                           Set<double> set) {
    CheckedEdit* edit =
        addChecked(key, tip, [=](const QString& text) { return reason(parseNumber(text, low, high)); });
    connect(edit, &CheckedEdit::edited, this, [=, this](const QString& text) {
        const double value = *parseNumber(text, low, high);
        emit changed(key, [set, value](stack::Layer& layer) { set(layer, value); });
    });
    shows_.push_back([=](const stack::Layer& layer, const stack::Experiment&) {
        const double value = get(layer);
        edit->showValue(numberText(value),
                        [=](const QString& typed) { return *parseNumber(typed, low, high) == value; });
    });
}

void OptionForm::addSizes(const QString& key, const QString& tip, SizeRule rule, Get<stack::Sizes> get,
                          Set<stack::Sizes> set) {
    const QString hint = tip + "\nOne number for all axes, or one per axis: 3 × 3 × 1.";
    CheckedEdit* edit =
        addChecked(key, hint, [=](const QString& text) { return reason(parseSizes(text, rule)); });
    edit->setStep([rule](const QString& text, int by) { return steppedSizes(text, by, rule); });
    makeHandle(edit);
    connect(edit, &CheckedEdit::edited, this, [=, this](const QString& text) {
        emit changed(key, [set, sizes = *parseSizes(text, rule)](stack::Layer& layer) { set(layer, sizes); });
    });
    shows_.push_back([=](const stack::Layer& layer, const stack::Experiment&) {
        const stack::Sizes value = get(layer);
        edit->showValue(sizesText(value),
                        [=](const QString& typed) { return *parseSizes(typed, rule) == value; });
    });
}

void OptionForm::addNumbers(const QString& key, const QString& tip, Get<std::vector<double>> get,
                            Set<std::vector<double>> set) {
    constexpr double kLow = 1e-3, kHigh = 1e3;
    CheckedEdit* edit =
        addChecked(key, tip, [](const QString& text) { return reason(parseNumbers(text, kLow, kHigh)); });
    connect(edit, &CheckedEdit::edited, this, [=, this](const QString& text) {
        emit changed(key, [set, values = *parseNumbers(text, kLow, kHigh)](stack::Layer& layer) {
            set(layer, values);
        });
    });
    shows_.push_back([=](const stack::Layer& layer, const stack::Experiment&) {
        const std::vector<double> values = get(layer);
        edit->showValue(numbersText(values),
                        [=](const QString& typed) { return *parseNumbers(typed, kLow, kHigh) == values; });
    });
}

void OptionForm::addPadding(const QString& key, const QString& tip, Get<stack::Padding> get,
                            Set<stack::Padding> set) {
    const QString hint = tip + "\nA number, one per axis, or “same”: the output as large as the input.";
    CheckedEdit* edit = addChecked(key, hint, [](const QString& text) { return reason(parsePadding(text)); });
    edit->setStep(
        [](const QString& text, int by) { return steppedSizes(text, by, {.low = 0, .high = 100'000}); });
    makeHandle(edit);
    connect(edit, &CheckedEdit::edited, this, [=, this](const QString& text) {
        emit changed(key, [set, value = *parsePadding(text)](stack::Layer& layer) { set(layer, value); });
    });
    shows_.push_back([=](const stack::Layer& layer, const stack::Experiment&) {
        const stack::Padding value = get(layer);
        edit->showValue(paddingText(value),
                        [=](const QString& typed) { return *parsePadding(typed) == value; });
    });
}

void OptionForm::addChoice(const QString& key, const QString& tip, const QStringList& words, Get<int> get,
                           Set<int> set) {
    auto* combo = new QComboBox(this);
    combo->addItems(words);
    connect(combo, &QComboBox::currentIndexChanged, this, [this, key, set](int index) {
        emit changed(key, [set, index](stack::Layer& layer) { set(layer, index); });
    });
    shows_.push_back([combo, get](const stack::Layer& layer, const stack::Experiment&) {
        const QSignalBlocker quiet(combo);
        combo->setCurrentIndex(get(layer));
    });
    place(key, tip, combo);
}

void OptionForm::addToggle(const QString& key, const QString& tip, Get<bool> get, Set<bool> set) {
    auto* box = new QCheckBox("yes", this);
    connect(box, &QCheckBox::toggled, this, [this, key, set](bool on) {
        emit changed(key, [set, on](stack::Layer& layer) { set(layer, on); });
    });
    shows_.push_back([box, get](const stack::Layer& layer, const stack::Experiment&) {
        const QSignalBlocker quiet(box);
        box->setChecked(get(layer));
        box->setText(get(layer) ? "yes" : "no");
    });
    place(key, tip, box);
    box->setMinimumHeight(QLineEdit().sizeHint().height());
}

void OptionForm::addText(const QString& key, const QString& tip, const QString& placeholder,
                         Get<std::string> get, Set<std::string> set) {
    CheckedEdit* edit = addChecked(key, tip, [](const QString&) { return QString(); });
    edit->setPlaceholderText(placeholder);
    edit->setMaxLength(64);
    connect(edit, &CheckedEdit::edited, this, [=, this](const QString& text) {
        emit changed(key,
                     [set, value = text.trimmed().toStdString()](stack::Layer& layer) { set(layer, value); });
    });
    shows_.push_back([=](const stack::Layer& layer, const stack::Experiment&) {
        const QString value = QString::fromStdString(get(layer));
        edit->showValue(value, [=](const QString& typed) { return typed.trimmed() == value; });
    });
}

void OptionForm::addSuggested(const QString& key, const QString& tip,
                              std::function<QStringList(const stack::Experiment&)> suggestions,
                              Get<std::string> get, Set<std::string> set) {
    auto* combo = new QComboBox(this);
    combo->setEditable(true);
    combo->setInsertPolicy(QComboBox::NoInsert);
    connect(combo, &QComboBox::editTextChanged, this, [this, key, set](const QString& text) {
        emit changed(key,
                     [set, value = text.trimmed().toStdString()](stack::Layer& layer) { set(layer, value); });
    });
    shows_.push_back([=](const stack::Layer& layer, const stack::Experiment& experiment) {
        const QSignalBlocker quiet(combo);
        const QString value = QString::fromStdString(get(layer));
        if (combo->hasFocus() && combo->currentText().trimmed() == value)
            return;
        combo->clear();
        combo->addItems(suggestions(experiment));
        combo->setEditText(value);
    });
    place(key, tip, combo);
}

void OptionForm::showLayer(const stack::Layer& layer, const stack::Experiment& experiment) {
    for (const Show& show : shows_)
        show(layer, experiment);
}

}  // namespace highwater::widgets
