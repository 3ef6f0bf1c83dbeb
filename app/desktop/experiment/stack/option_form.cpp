#include "app/desktop/experiment/stack/option_form.h"

#include <QCheckBox>
#include <QComboBox>
#include <QGridLayout>
#include <QLabel>
#include <QStandardItemModel>
#include <algorithm>

#include "widgets/controls/field_cell.h"

namespace highwater::desktop {

namespace {

constexpr int kLastRow = 100;  // takes the remaining height
constexpr int kNarrow = 250;   // one column below this width
constexpr int kUnset = -1;     // no columns yet

}  // namespace

OptionForm::OptionForm(QWidget* parent) : QWidget(parent), grid_(new QGridLayout(this)), columns_(kUnset) {
    grid_->setContentsMargins(10, 8, 10, 8);
    grid_->setHorizontalSpacing(8);
    grid_->setVerticalSpacing(8);
    grid_->setRowStretch(kLastRow, 1);
}

void OptionForm::place(const QString& key, const QString& tip, QWidget* editor, Field field) {
    field.cell = new widgets::FieldCell(key, tip, editor, this);
    editor->setObjectName(nameOf(key));
    connect(field.cell, &widgets::FieldCell::resetWanted, this, [this, cell = field.cell] { reset(cell); });
    connect(field.cell, &widgets::FieldCell::menuOpening, this, [this, cell = field.cell](QMenu& menu) {
        const auto of =
            std::find_if(fields_.begin(), fields_.end(), [&](const Field& f) { return f.cell == cell; });
        emit menuOpening(menu, variationOf(*of));
    });
    fields_.push_back(std::move(field));
    columns_ = kUnset;
}

OptionForm::Variation OptionForm::variationOf(const Field& field) const {
    const QWidget* const editor = field.cell->editor();
    Variation of{editor->objectName(), {}, field.cell->label()->toolTip()};
    if (qobject_cast<const QCheckBox*>(editor)) {
        of.words = {QStringLiteral("false"), QStringLiteral("true")};
    } else if (const auto* choice = qobject_cast<const QComboBox*>(editor)) {
        for (int i = 0; i < choice->count(); ++i) {
            of.words << choice->itemText(i);
        }
    } else {
        // Sizes are lists in JSON: "3 × 3 × 1" is [3, 3, 1].
        const QStringList sizes = QString(field.current).remove(' ').split(QChar(0xd7));
        of.words << (sizes.size() > 1 ? '[' + sizes.join(QStringLiteral(", ")) + ']' : field.current);
    }
    return of;
}

std::vector<OptionForm::Variation> OptionForm::variations() const {
    std::vector<Variation> all;
    for (const Field& field : fields_) {
        if (field.shown) {
            all.push_back(variationOf(field));
        }
    }
    return all;
}

void OptionForm::when(std::function<Availability(const Experiment&)> availability) {
    fields_.back().available = std::move(availability);
}

void OptionForm::wide() {
    fields_.back().wide = true;
}

void OptionForm::defaultsFrom(std::function<Experiment(const Experiment&)> defaults) {
    fields_.back().defaults = std::move(defaults);
}

void OptionForm::offer(std::function<QString(const Experiment&, int)> whyNot) {
    auto* combo = qobject_cast<QComboBox*>(fields_.back().cell->editor());
    fields_.back().show = [combo, whyNot, show = fields_.back().show](const Experiment& e) {
        for (int i = 0; i < combo->count(); ++i) {
            const QString why = whyNot(e, i);
            QStandardItem* item = qobject_cast<QStandardItemModel*>(combo->model())->item(i);
            item->setEnabled(why.isEmpty());
            item->setToolTip(why);
        }
        show(e);
    };
}

void OptionForm::apply(const QString& key, const Change& change, const QString& mergeKey) {
    emit changed(key, change, mergeKey);
}

void OptionForm::setDefaults(std::function<Experiment(const Experiment&)> defaults) {
    defaults_ = std::move(defaults);
}

void OptionForm::showExperiment(const Experiment& experiment) {
    bool same = true;
    changedFields_ = 0;
    for (Field& field : fields_) {
        const Availability available = field.available ? field.available(experiment) : Availability();
        same = same && field.shown == available.shown;
        field.shown = available.shown;
        field.show(experiment);
        field.current = field.words(experiment);
        const bool differs = (field.defaults || defaults_) && showDefault(field, experiment);
        const bool wayBack = differs && qobject_cast<QCheckBox*>(field.cell->editor());
        field.cell->setAvailable(available.note, wayBack ? QString() : available.whyNot);
    }
    if (!same || columns_ == kUnset) {
        arrange();
    }
}

bool OptionForm::showDefault(Field& field, const Experiment& experiment) {
    const Experiment defaults = field.defaults ? field.defaults(experiment) : defaults_(experiment);
    const bool differs = field.shown && !field.same(experiment, defaults);
    changedFields_ += differs ? 1 : 0;
    const QString words = field.words(defaults);
    field.cell->setDefault(!differs ? QString() : words.isEmpty() ? tr("none") : words);
    return differs;
}

void OptionForm::reset(const widgets::FieldCell* cell) {
    const auto field =
        std::find_if(fields_.begin(), fields_.end(), [&](const Field& f) { return f.cell == cell; });
    const auto defaults = field->defaults ? field->defaults : defaults_;
    apply(cell->key(), [copy = field->copy, defaults](Experiment& e) { copy(e, defaults(e)); });
}

bool OptionForm::setFilter(const QString& filter, bool all) {
    bool any = false, same = true;
    for (Field& field : fields_) {
        const bool matches = all || field.cell->matches(filter);
        same = same && matches == field.matches;
        field.matches = matches;
        any = any || (matches && field.shown);
    }
    if (!same) {
        arrange();
    }
    return any;
}

int OptionForm::columns() const {
    return width() < kNarrow ? 1 : 2;
}

void OptionForm::arrange() {
    columns_ = columns();
    for (const Field& field : fields_) {
        grid_->removeWidget(field.cell);
    }
    int place = 0;
    for (const Field& field : fields_) {
        const bool visible = field.shown && field.matches;
        field.cell->setVisible(visible);
        if (!visible) {
            continue;
        }
        if (field.wide && place % columns_ != 0) {
            ++place;
        }
        grid_->addWidget(field.cell, place / columns_, place % columns_, 1, field.wide ? columns_ : 1,
                         Qt::AlignTop);
        place += field.wide ? columns_ : 1;
    }
    grid_->setColumnStretch(0, 1);
    grid_->setColumnStretch(1, columns_ > 1 ? 1 : 0);
    grid_->setHorizontalSpacing(columns_ > 1 ? 8 : 0);
}

void OptionForm::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    if (columns_ != columns()) {
        arrange();
    }
}

widgets::FieldCell* OptionForm::cell(const QString& name) const {
    for (const Field& field : fields_) {
        if (field.cell->editor()->objectName() == name) {
            return field.cell;
        }
    }
    return nullptr;
}

std::vector<widgets::FieldCell*> OptionForm::cells() const {
    std::vector<widgets::FieldCell*> all;
    for (const Field& field : fields_) {
        all.push_back(field.cell);
    }
    return all;
}

}  // namespace highwater::desktop

#include "moc_option_form.cpp"
