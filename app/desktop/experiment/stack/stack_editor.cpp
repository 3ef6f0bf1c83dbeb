#include "app/desktop/experiment/stack/stack_editor.h"

#include <QAction>
#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QToolButton>
#include <QVBoxLayout>
#include <QWidgetAction>

#include "app/desktop/experiment/stack/advice_box.h"
#include "app/desktop/experiment/stack/error_words.h"
#include "app/desktop/experiment/stack/layer_words.h"
#include "app/desktop/experiment/stack/stack_tree_view.h"
#include "core/base/text.h"
#include "core/stack/presets/presets.h"
#include "core/stack/shapes.h"
#include "widgets/controls/typed_menu.h"
#include "widgets/theme/panel.h"
#include "widgets/theme/utf8.h"
#include "widgets/theme/wrapped_label.h"

namespace highwater::desktop {

namespace {

/// Replaces the current experiment with a preset. A loaded scan stays the input if the preset is 3D, with its
/// patch if the preset's shapes allow it, otherwise with the preset's. Batch size and similar settings are
/// those of the preset.
stack::Experiment withPreset(const stack::Experiment& current, stack::Experiment preset) {
    const auto* scan = std::get_if<stack::ScanInput>(&current.input);
    const stack::Sizes presetPatch = stack::patchOf(preset);
    if (!scan || !std::holds_alternative<stack::SyntheticInput>(preset.input) || presetPatch.size() != 3) {
        return preset;
    }
    preset.input = *scan;
    if (!stack::inferShapes(preset)) {
        stack::setPatch(preset, presetPatch);
    }
    return preset;
}

/// Adds a section title: the style sheet's menus draw addSection() as a plain line.
void addHeading(QMenu& menu, const QString& title) {
    auto* label = new QLabel(title);
    label->setProperty("muted", true);
    label->setContentsMargins(12, menu.isEmpty() ? 4 : 9, 12, 2);
    auto* action = new QWidgetAction(&menu);
    action->setDefaultWidget(label);
    action->setEnabled(false);
    menu.addAction(action);
}

}  // namespace

StackEditor::StackEditor(ExperimentDocument& document, QWidget* parent)
    : widgets::Panel(tr("Stack"), parent), document_(document) {
    model_ = new StackModel(this);
    model_->onDrop = [this](const QMimeData& dragged, bool copy, const Path& at, int row) {
        return dropped(dragged, copy, at, row);
    };
    view_ = new StackTreeView(*model_, this);
    addMenu_ = new widgets::TypedMenu(tr("Add layer"), this);
    presetsMenu_ = new QMenu(tr("Presets"), this);
    presetsMenu_->setToolTipsVisible(true);
    buildActions();
    buildAddMenu();
    connect(presetsMenu_, &QMenu::aboutToShow, this, &StackEditor::buildPresetsMenu);
    buildBody();
    connect(&document_, &ExperimentDocument::changed, this, [this] {
        refusal_.clear();
        refresh();
    });
    connect(QGuiApplication::clipboard(), &QClipboard::dataChanged, this, [this] { setRefusal({}); });
    awaiting_.setSingleShot(true);
    connect(&awaiting_, &QTimer::timeout, this, &StackEditor::paintAgain);
    connect(view_->selectionModel(), &QItemSelectionModel::currentChanged, this,
            [this] { emit currentChanged(currentPath()); });
    connect(view_->selectionModel(), &QItemSelectionModel::selectionChanged, this, [this] {
        updateActions();
        setRefusal({});
    });
    connect(view_, &QWidget::customContextMenuRequested, this, &StackEditor::showContextMenu);
    refresh();
}

void StackEditor::buildBody() {
    auto* body = new QWidget(this);
    auto* layout = widgets::makeLayout<QVBoxLayout>(body, 0);
    layout->addWidget(view_, 1);
    setFocusProxy(view_);
    // A heading and some rows, however low the window is.
    view_->setMinimumHeight(view_->fontMetrics().height() * 8);

    message_ = new widgets::WrappedLabel(body);
    message_->setProperty("bad", true);
    message_->setTextFormat(Qt::PlainText);
    message_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    message_->setContentsMargins(10, 6, 10, 2);
    message_->hide();
    layout->addWidget(message_);

    advice_ = new AdviceBox(body);
    connect(advice_, &AdviceBox::sizeChosen, this, &StackEditor::safeSizeChosen);
    connect(advice_, &AdviceBox::layerChosen, this, [this](int layer) {
        if (const auto& info = document_.info(); info && layer < static_cast<int>(info->layers.size())) {
            select({info->layers[static_cast<std::size_t>(layer)].path});
        }
    });
    layout->addWidget(advice_);

    auto* links = widgets::makeLayout<QHBoxLayout>(nullptr, 8, {6, 4, 6, 4});
    QToolButton* add = widgets::linkButton(tr("+ add layer"), tr("Add a layer after the current one"), body);
    add->setMenu(addMenu_);
    add->setPopupMode(QToolButton::InstantPopup);
    QToolButton* group = widgets::linkButton(tr("group into block"), group_->toolTip(), body);
    connect(group, &QToolButton::clicked, group_, &QAction::trigger);
    connect(group_, &QAction::changed, group, [this, group] { group->setEnabled(group_->isEnabled()); });
    group->setEnabled(group_->isEnabled());
    QToolButton* presets = widgets::linkButton(tr("presets ▾"), tr("Start from a known network"), body);
    presets->setMenu(presetsMenu_);
    presets->setPopupMode(QToolButton::InstantPopup);
    links->addWidget(add);
    links->addWidget(group);
    links->addWidget(presets);
    links->addStretch(1);
    layout->addLayout(links);
    setBody(body);
}

void StackEditor::buildAddMenu() {
    for (const TypeGroup& group : typeGroups()) {
        addHeading(*addMenu_, group.title);
        for (const std::string_view type : group.types) {
            QObject::connect(addMenu_->addAction(widgets::fromUtf8(type)), &QAction::triggered, this,
                             [this, name = widgets::fromUtf8(type)] { addLayer(name); });
        }
    }
    addHeading(*addMenu_, tr("Structure"));
    connect(addMenu_->addAction(tr("block")), &QAction::triggered, this, &StackEditor::addBlock);
}

void StackEditor::buildPresetsMenu() {
    presetsMenu_->clear();
    const auto presets = stack::loadPresets();
    if (!presets) {
        presetsMenu_->addAction(QString::fromStdString(presets.error().message))->setEnabled(false);
        return;
    }
    for (const stack::Preset& preset : *presets) {
        const QString title = QString::fromStdString(preset.title);
        QAction* action = presetsMenu_->addAction(title);
        action->setToolTip(QString::fromStdString(preset.description));
        connect(action, &QAction::triggered, this, [this, title, experiment = preset.experiment] {
            const std::int64_t before = document_.experiment().step.batchSize;
            document_.edit(tr("Preset %1").arg(title),
                           [&](stack::Experiment& e) { e = withPreset(e, experiment); });
            emit presetTaken(title, before);
        });
    }
}

Path StackEditor::currentPath() const {
    return model_->pathOf(view_->currentIndex());
}

Paths StackEditor::selectedPaths() const {
    return view_->selectedPaths();
}

void StackEditor::select(const Paths& paths) {
    view_->selectPaths(paths);
}

void StackEditor::refresh() {
    const Path before = currentPath();
    const bool any = view_->selectionModel()->hasSelection();
    const StackRows rows = stackRows(document_.experiment(), document_.info(), prediction_.get());
    model_->setStack(document_.experiment().stack, rows, prediction_);
    view_->settle();
    if (any && !view_->selectionModel()->hasSelection()) {  // undo removed the selected layers
        view_->selectPaths({currentPath()});
    }
    const auto count = std::ranges::count(rows.rows, false, &StackRow::block);
    const QString layers = layersText(count);
    setNote(
        rows.error.isEmpty()
            ? tr("%1 · %2 parameters").arg(layers, QString::fromStdString(base::formatCount(rows.parameters)))
            : tr("%1 · not valid yet").arg(layers));
    invalid_ = plainError(rows.error);
    showMessage();
    advice_->showCliffs(prediction_ && rows.error.isEmpty() ? prediction_->cliffs
                                                            : std::vector<predict::Cliff>());
    updateActions();
    if (before != currentPath()) {
        emit currentChanged(currentPath());
    }
}

void StackEditor::setPrediction(std::shared_ptr<const predict::Prediction> prediction) {
    prediction_ = std::move(prediction);
    refresh();
    paintAgain();
}

void StackEditor::awaitPrediction() {
    constexpr int kMostMs = 30;
    view_->setUpdatesEnabled(false);
    if (!awaiting_.isActive()) {
        awaiting_.start(kMostMs);
    }
}

void StackEditor::paintAgain() {
    awaiting_.stop();
    view_->setUpdatesEnabled(true);
}

/// Shown until the user edits or selects something, or changes the clipboard.
void StackEditor::setRefusal(const QString& why) {
    refusal_ = why;
    showMessage();
}

void StackEditor::showMessage() {
    const QString& message = refusal_.isEmpty() ? invalid_ : refusal_;
    message_->setText(message);
    message_->setVisible(!message.isEmpty());
}

void StackEditor::showContextMenu(const QPoint& at) {
    QMenu menu(this);
    menu.addMenu(addMenu_);
    menu.addSeparator();
    menu.addActions(actions_);
    menu.addSeparator();
    menu.addActions(exports_);
    menu.exec(view_->viewport()->mapToGlobal(at));
}

}  // namespace highwater::desktop

#include "moc_stack_editor.cpp"
