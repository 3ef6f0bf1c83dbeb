#include <QCheckBox>
#include <QComboBox>
#include <QSignalBlocker>
#include <QSpinBox>
#include <algorithm>

#include "app/desktop/experiment/stack/option_form.h"
#include "widgets/controls/field_cell.h"
#include "widgets/controls/scrub.h"

namespace highwater::desktop {

namespace {

constexpr SizeRule kPaddingRule{.low = 0, .high = 1 << 20};

/// Changes all numbers by one step up or down, within the rule.
QString steppedSizes(const QString& text, int by, const SizeRule& rule) {
    auto sizes = parseSizes(text, rule);
    if (!sizes || sizes->empty()) {
        return {};
    }
    for (std::int64_t& size : *sizes) {
        size = std::clamp(size + by, rule.low, rule.high);
    }
    return sizesText(*sizes);
}

QString paddingText(const stack::Padding& padding) {
    return padding.same ? QString("same") : sizesText(padding.sizes);
}

base::Result<stack::Padding> parsePadding(const QString& text) {
    if (text.trimmed().compare("same", Qt::CaseInsensitive) == 0) {
        return stack::Padding{true, {0}};
    }
    auto sizes = parseSizes(text, kPaddingRule);
    if (!sizes) {
        return base::Error{
            QObject::tr("%1, or “same”").arg(QString::fromStdString(sizes.error().message)).toStdString()};
    }
    return stack::Padding{false, std::move(*sizes)};
}

void showText(QComboBox* combo, const QStringList& suggestions, const QString& text) {
    const QSignalBlocker quiet(combo);
    if (combo->hasFocus() && combo->currentText().trimmed() == text) {
        return;
    }
    combo->clear();
    combo->addItems(suggestions);
    combo->setEditText(text);
}

}  // namespace

void OptionForm::addInteger(const QString& key, const QString& tip, std::int64_t low, std::int64_t high,
                            Get<std::int64_t> get, Set<std::int64_t> set) {
    auto* spin = new QSpinBox(this);
    spin->setRange(static_cast<int>(low), static_cast<int>(high));
    widgets::checkWhileTyped(spin);
    spin->setMinimumWidth(56);  // its widest number would need more room than a column has
    connect(spin, &QSpinBox::valueChanged, this, [this, key, set](int value) {
        apply(key, [set, value](Experiment& e) { set(e, value); }, nameOf(key));
    });
    const auto show = [spin](const std::int64_t& value) {
        const QSignalBlocker quiet(spin);
        spin->setValue(static_cast<int>(std::clamp<std::int64_t>(value, spin->minimum(), spin->maximum())));
    };
    addEditor<std::int64_t>(key, tip, spin, show, get, set,
                            [](const std::int64_t& value) { return QString::number(value); });
    widgets::Scrub::attach(fields_.back().cell->label(), spin);
}

void OptionForm::addNumber(const QString& key, const QString& tip, double low, double high, Get<double> get,
                           Set<double> set) {
    addParsed<double>(
        key, tip, [=](const QString& text) { return parseNumber(text, low, high); }, numberText, get, set);
}

void OptionForm::addSizes(const QString& key, const QString& tip, SizeRule rule, Get<stack::Sizes> get,
                          Set<stack::Sizes> set) {
    widgets::CheckedEdit* edit = addParsed<stack::Sizes>(
        key, tip + '\n' + tr("One number for all axes, or one per axis: 3 × 3 × 1."),
        [rule](const QString& text) { return parseSizes(text, rule); }, sizesText, get, set);
    edit->setStep([rule](const QString& text, int by) { return steppedSizes(text, by, rule); });
    widgets::Scrub::attach(fields_.back().cell->label(), edit);
}

void OptionForm::addPadding(const QString& key, const QString& tip, Get<stack::Padding> get,
                            Set<stack::Padding> set) {
    widgets::CheckedEdit* edit = addParsed<stack::Padding>(
        key, tip + '\n' + tr("A number, one per axis, or “same”: the output is as large as the input."),
        parsePadding, paddingText, get, set);
    edit->setStep([](const QString& text, int by) { return steppedSizes(text, by, kPaddingRule); });
    widgets::Scrub::attach(fields_.back().cell->label(), edit);
}

void OptionForm::addChoice(const QString& key, const QString& tip, const QStringList& words, Get<int> get,
                           Set<int> set) {
    auto* combo = new QComboBox(this);
    combo->addItems(words);
    combo->setMinimumContentsLength(6);
    combo->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    connect(combo, &QComboBox::currentIndexChanged, this, [this, key, set](int index) {
        apply(key, [set, index](Experiment& e) { set(e, index); }, nameOf(key));
    });
    const auto show = [combo](const int& index) {
        const QSignalBlocker quiet(combo);
        combo->setCurrentIndex(index);
    };
    addEditor<int>(key, tip, combo, show, get, set, [words](const int& index) { return words.value(index); });
}

void OptionForm::addToggle(const QString& key, const QString& tip, Get<bool> get, Set<bool> set) {
    auto* box = new QCheckBox(tr("yes"), this);
    const auto words = [](const bool& on) { return on ? tr("yes") : tr("no"); };
    connect(box, &QCheckBox::toggled, this,
            [this, key, set](bool on) { apply(key, [set, on](Experiment& e) { set(e, on); }, nameOf(key)); });
    const auto show = [box, words](const bool& on) {
        const QSignalBlocker quiet(box);
        box->setChecked(on);
        box->setText(words(on));
    };
    addEditor<bool>(key, tip, box, show, get, set, words);
    box->setMinimumHeight(QLineEdit().sizeHint().height());
}

void OptionForm::addText(const QString& key, const QString& tip, const QString& placeholder,
                         Get<std::string> get, Set<std::string> set) {
    widgets::CheckedEdit* edit = addParsed<std::string>(
        key, tip, [](const QString& text) { return base::Result<std::string>(text.trimmed().toStdString()); },
        [](const std::string& text) { return QString::fromStdString(text); }, get, set);
    edit->setPlaceholderText(placeholder);
    edit->setMaxLength(1024);
}

void OptionForm::addSuggested(const QString& key, const QString& tip,
                              std::function<QStringList(const Experiment&)> suggestions, Get<std::string> get,
                              Set<std::string> set) {
    auto* combo = new QComboBox(this);
    combo->setEditable(true);
    combo->setInsertPolicy(QComboBox::NoInsert);
    connect(combo, &QComboBox::editTextChanged, this, [this, key, set](const QString& text) {
        apply(
            key, [set, value = text.trimmed().toStdString()](Experiment& e) { set(e, value); }, nameOf(key));
    });
    Field field;
    field.show = [=](const Experiment& e) {
        showText(combo, suggestions(e), QString::fromStdString(get(e)));
    };
    field.words = [get](const Experiment& e) { return QString::fromStdString(get(e)); };
    field.same = [get](const Experiment& a, const Experiment& b) { return get(a) == get(b); };
    field.copy = [=](Experiment& to, const Experiment& from) { set(to, get(from)); };
    place(key, tip, combo, std::move(field));
}

}  // namespace highwater::desktop
