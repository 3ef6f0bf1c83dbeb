#include "app/desktop/experiment/settings/settings_panel.h"

#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QScrollArea>
#include <QScrollBar>
#include <QVBoxLayout>

#include "app/desktop/experiment/settings/fold_section.h"
#include "app/desktop/experiment/settings/settings_values.h"
#include "app/desktop/experiment/stack/error_words.h"
#include "core/stack/shapes.h"
#include "widgets/controls/field_cell.h"
#include "widgets/theme/panel.h"

namespace highwater::desktop {

namespace {

QLabel* wordsLabel(const char* property, QWidget* parent) {
    auto* label = widgets::textLabel(parent);
    label->setProperty(property, true);
    label->setContentsMargins(10, 6, 10, 6);
    label->hide();
    return label;
}

}  // namespace

SettingsPanel::SettingsPanel(ExperimentDocument& document, QWidget* parent)
    : widgets::Panel(tr("Settings"), parent), document_(document) {
    buildBody();
    connect(&document_, &ExperimentDocument::changed, this, &SettingsPanel::refresh);
    refresh();
}

void SettingsPanel::buildBody() {
    auto* body = new QWidget(this);
    auto* layout = widgets::makeLayout<QVBoxLayout>(body, 0);
    search_ = new QLineEdit(body);
    search_->setObjectName("Find a setting");
    search_->setAccessibleName(tr("Find a setting"));
    search_->setPlaceholderText(tr("Find a setting"));
    search_->setClearButtonEnabled(true);
    search_->installEventFilter(this);
    auto* strip = new QVBoxLayout;
    strip->setContentsMargins(10, 8, 10, 6);
    strip->addWidget(search_);
    layout->addLayout(strip);

    scroll_ = new QScrollArea(body);
    scroll_->setWidgetResizable(true);
    scroll_->setFrameShape(QFrame::NoFrame);
    scroll_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto* column = new QWidget;
    auto* sections = widgets::makeLayout<QVBoxLayout>(column, 0);
    buildSections(column);
    nothing_ = wordsLabel("muted", column);
    sections->addWidget(nothing_);
    sections->addStretch(1);
    scroll_->setWidget(column);
    layout->addWidget(scroll_, 1);
    message_ = wordsLabel("bad", body);
    message_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    layout->addWidget(message_);
    setBody(body);
    setFocusProxy(search_);
    connect(search_, &QLineEdit::textChanged, this, &SettingsPanel::showFilter);
}

void SettingsPanel::buildSections(QWidget* column) {
    for (const SettingsSection& section : settingsSections(devices_)) {
        addSection(column, section.title, section.fill);
    }
}

void SettingsPanel::addSection(QWidget* column, const QString& title,
                               const std::function<void(OptionForm&)>& fill) {
    // Created before its fields, because Tab follows the order of creation.
    auto* fold = new FoldSection(title, column);
    auto* form = new OptionForm(fold);
    fill(*form);
    form->setDefaults(settingDefaults);
    connect(form, &OptionForm::changed, this, &SettingsPanel::apply);
    connect(form, &OptionForm::menuOpening, this, [this](QMenu& menu, const OptionForm::Variation& of) {
        const FieldToVary field = FieldsToVary(document_.experiment()).setting(of.name, of.words);
        if (!field.pointers.isEmpty()) {
            offerToVary(menu, tr("Vary this"),
                        [this, field](FieldStudy study) { emit varyWanted(field, study); });
        }
    });
    fold->setBody(form);
    column->layout()->addWidget(fold);
    sections_.push_back({fold, form});
}

void SettingsPanel::apply(const QString& key, const OptionForm::Change& change, const QString& mergeKey) {
    document_.edit(tr("Change %1").arg(key), change, mergeKey.isEmpty() ? QString() : "setting" + mergeKey);
}

void SettingsPanel::refresh() {
    int count = 0;
    for (const Section& section : sections_) {
        section.form->showExperiment(document_.experiment());
        count += section.form->changedFields();
    }
    showProblem();
    if (!search_->text().isEmpty()) {
        showFilter();
    }
    setNote(count == 0 ? tr("all at their defaults") : tr("%1 changed").arg(count));
    if (std::exchange(changedFields_, count) != count) {
        emit changedFieldsChanged(count);
    }
}

int SettingsPanel::changedFields() const {
    return changedFields_;
}

/// Why the experiment cannot be run; empty if it can.
QString SettingsPanel::problem() const {
    const auto& info = document_.info();
    const base::Status can =
        info ? stack::checkSupported(document_.experiment(), *info, runsOnGpu_) : info.error();
    return can ? QString() : QString::fromStdString(can.error().message);
}

void SettingsPanel::showProblem() {
    const QString why = problem();
    const QString at = settingNamedBy(why);
    for (const Section& section : sections_) {
        bool here = false;
        for (widgets::FieldCell* cell : section.form->cells()) {
            const bool its = !at.isEmpty() && cell->editor()->objectName() == at;
            cell->setProblem(its ? plainError(why) : QString());
            here = here || its;
        }
        section.fold->setCount(section.form->changedFields(), here);
    }
    message_->setText(document_.info() ? QString() : plainError(why));
    message_->setVisible(!message_->text().isEmpty());
}

void SettingsPanel::showFilter() {
    const QString text = search_->text().trimmed();
    bool any = false;
    for (const Section& section : sections_) {
        const bool all = text.isEmpty() || section.fold->title().contains(text, Qt::CaseInsensitive);
        const bool found = section.form->setFilter(text, all);
        section.fold->setVisible(found);
        section.fold->setForced(found && !text.isEmpty());
        any = any || found;
    }
    nothing_->setText(tr("No setting has “%1” in its name or its meaning.").arg(text));
    nothing_->setVisible(!any);
    if (sender() == search_) {
        scroll_->verticalScrollBar()->setValue(0);
    }
}

void SettingsPanel::setDevices(bool runsOnGpu, bool predictsForGpu) {
    runsOnGpu_ = runsOnGpu;
    devices_ = {.cpu = !runsOnGpu || !predictsForGpu, .gpu = runsOnGpu || predictsForGpu};
    refresh();
}

bool SettingsPanel::showField(const QString& pointer) {
    search_->clear();
    for (const Section& section : sections_) {
        if (const widgets::FieldCell* cell = section.form->cell(pointer)) {
            section.fold->setOpen(true);
            cell->editor()->setFocus(Qt::OtherFocusReason);
            scroll_->widget()->layout()->activate();
            scroll_->ensureWidgetVisible(section.form->cell(pointer));
            return true;
        }
    }
    return false;
}

void SettingsPanel::focusSearch() {
    search_->setFocus(Qt::ShortcutFocusReason);
    search_->selectAll();
}

QStringList SettingsPanel::openSections() const {
    QStringList titles;
    for (const Section& section : sections_) {
        if (section.fold->isOpen()) {
            titles << section.fold->title();
        }
    }
    return titles;
}

void SettingsPanel::setOpenSections(const QStringList& titles) {
    for (const Section& section : sections_) {
        section.fold->setOpen(titles.contains(section.fold->title()));
    }
}

bool SettingsPanel::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() != QEvent::KeyPress) {
        return widgets::Panel::eventFilter(watched, event);
    }
    const int key = static_cast<QKeyEvent*>(event)->key();
    if (key == Qt::Key_Escape && !search_->text().isEmpty()) {
        search_->clear();
        return true;
    }
    if (key != Qt::Key_Return && key != Qt::Key_Enter && key != Qt::Key_Down) {
        return widgets::Panel::eventFilter(watched, event);
    }
    for (const Section& section : sections_) {  // focus the first field found
        for (const widgets::FieldCell* cell : section.form->cells()) {
            if (cell->isVisible() && cell->editor()->isEnabled()) {
                cell->editor()->setFocus(Qt::TabFocusReason);
                return true;
            }
        }
    }
    return true;
}

}  // namespace highwater::desktop

#include "moc_settings_panel.cpp"
