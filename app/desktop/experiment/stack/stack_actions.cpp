#include <QAction>
#include <QClipboard>
#include <QGuiApplication>
#include <QMimeData>
#include <algorithm>

#include "app/desktop/experiment/stack/layer_words.h"
#include "app/desktop/experiment/stack/new_layer.h"
#include "app/desktop/experiment/stack/stack_editor.h"
#include "app/desktop/experiment/stack/stack_tree_view.h"
#include "widgets/controls/table_actions.h"

namespace highwater::desktop {

namespace {

const stack::Block* blockAt(const Layers& layers, const Path& path) {
    const stack::Layer* layer = layerAt(layers, path);
    return layer ? std::get_if<stack::Block>(&layer->op) : nullptr;
}

}  // namespace

QAction* StackEditor::addAction(const QString& text, const QKeySequence& key, const QString& tip,
                                void (StackEditor::*act)()) {
    auto* action = new QAction(text, this);
    action->setShortcut(key);
    action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    action->setToolTip(tip);
    connect(action, &QAction::triggered, this, [this, act] { (this->*act)(); });
    view_->addAction(action);
    actions_ << action;
    return action;
}

void StackEditor::buildActions() {
    duplicate_ = addAction(tr("Duplicate"), QKeySequence("Ctrl+D"),
                           tr("Duplicate the layers after themselves"), &StackEditor::duplicateSelected);
    remove_ =
        addAction(tr("Delete"), QKeySequence::Delete, tr("Remove the layers"), &StackEditor::removeSelected);
    up_ = new QAction(tr("Move up"), this);
    down_ = new QAction(tr("Move down"), this);
    for (QAction* action : {up_, down_}) {
        const int by = action == up_ ? -1 : 1;
        action->setShortcut(QKeySequence(by < 0 ? "Alt+Up" : "Alt+Down"));
        action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
        connect(action, &QAction::triggered, this, [this, by] { moveSelected(by); });
        view_->addAction(action);
        actions_ << action;
    }
    group_ = addAction(tr("Group into block"), QKeySequence("Ctrl+G"),
                       tr("Put the selected layers into a block, which can be checkpointed as one"),
                       &StackEditor::groupSelected);
    ungroup_ = addAction(tr("Ungroup"), QKeySequence("Ctrl+Shift+G"), tr("Replace the block by its layers"),
                         &StackEditor::ungroupSelected);
    checkpoint_ =
        addAction(tr("Checkpoint"), QKeySequence("Ctrl+K"),
                  tr("Keep only the block's input and recompute its layers in the backward pass: less "
                     "memory, more time, the same gradients"),
                  &StackEditor::toggleCheckpoint);
    checkpoint_->setCheckable(true);
    copy_ = addAction(tr("Copy"), QKeySequence::Copy, tr("Copy the layers as JSON text"),
                      &StackEditor::copySelected);
    cut_ = addAction(tr("Cut"), QKeySequence::Cut, tr("Copy the layers as JSON text and remove them"),
                     &StackEditor::cutSelected);
    paste_ =
        addAction(tr("Paste"), QKeySequence::Paste, tr("Insert layers from JSON text"), &StackEditor::paste);
    exports_ = widgets::offerTable(*view_, {.name = tr("layers"), .copies = false});
}

void StackEditor::updateActions() {
    const Paths chosen = selectedPaths();
    const Layers& layers = document_.experiment().stack;
    const bool any = !chosen.empty();
    for (QAction* action : {duplicate_, remove_, copy_, cut_}) {
        action->setEnabled(any);
    }
    const bool oneList =
        any && std::all_of(chosen.begin(), chosen.end(), [&](const Path& p) {
            return std::equal(p.begin(), p.end() - 1, chosen.front().begin(), chosen.front().end() - 1);
        });
    for (QAction* action : {up_, down_, group_}) {
        action->setEnabled(oneList);
    }
    const bool blocks = any && std::all_of(chosen.begin(), chosen.end(),
                                           [&](const Path& p) { return blockAt(layers, p) != nullptr; });
    ungroup_->setEnabled(blocks);
    checkpoint_->setEnabled(blocks);
    checkpoint_->setChecked(blocks && blockAt(layers, chosen.front())->checkpoint);
}

void StackEditor::change(const QString& what, const std::function<Paths(Layers&)>& act) {
    Paths select;
    document_.edit(what, [&](stack::Experiment& e) { select = act(e.stack); });
    view_->selectPaths(select);
    if (!select.empty()) {
        emit currentChanged(currentPath());
    }
}

std::pair<Path, int> StackEditor::insertionPoint() const {
    const Layers& layers = document_.experiment().stack;
    const Paths chosen = selectedPaths();
    // After the last selected layer, not between selected ones.
    Path path = chosen.empty() ? currentPath() : chosen.back();
    if (!layerAt(layers, path)) {
        return {{}, static_cast<int>(layers.size())};
    }
    const stack::Block* block = blockAt(layers, path);
    if (block && block->layers.empty()) {
        return {path, 0};
    }
    const int row = path.back() + 1;
    path.pop_back();
    return {path, row};
}

void StackEditor::addLayer(const QString& type) {
    const auto [parent, row] = insertionPoint();
    Paths added;
    document_.edit(tr("Add %1").arg(type), [&, at = parent, r = row](stack::Experiment& e) {
        added = insertNewLayer(e, type.toStdString(), at, r);
    });
    view_->selectPaths(added);
    if (!added.empty()) {
        emit currentChanged(currentPath());
    }
}

void StackEditor::addBlock() {
    const auto [parent, row] = insertionPoint();
    change(tr("Add block"), [&, at = parent, r = row](Layers& layers) {
        Layers added;
        added.push_back({"", stack::Block{freeBlockName(layers), false, {}}});
        return insertLayers(layers, at, r, std::move(added));
    });
}

void StackEditor::removeSelected() {
    const Paths chosen = selectedPaths();
    if (chosen.empty()) {
        return;
    }
    change(chosen.size() == 1 ? tr("Delete layer") : tr("Delete layers"), [&](Layers& layers) {
        removeLayers(layers, chosen);
        Path next = chosen.front();
        if (!layerAt(layers, next) && next.back() > 0) {
            --next.back();
        }
        if (!layerAt(layers, next)) {
            next.pop_back();
        }
        return layerAt(layers, next) ? Paths{next} : Paths{};
    });
}

void StackEditor::duplicateSelected() {
    change(tr("Duplicate"),
           [chosen = selectedPaths()](Layers& layers) { return duplicateLayers(layers, chosen); });
}

void StackEditor::moveSelected(int by) {
    change(tr("Move"), [chosen = selectedPaths(), by](Layers& layers) {
        return shiftLayers(layers, chosen, by).value_or(chosen);
    });
}

void StackEditor::groupSelected() {
    change(tr("Group into block"), [chosen = selectedPaths()](Layers& layers) {
        const auto block = groupLayers(layers, chosen, freeBlockName(layers));
        return block ? Paths{*block} : chosen;
    });
}

void StackEditor::ungroupSelected() {
    change(tr("Ungroup"),
           [chosen = selectedPaths()](Layers& layers) { return ungroupLayers(layers, chosen); });
}

void StackEditor::toggleCheckpoint() {
    const Paths chosen = selectedPaths();
    const stack::Block* first =
        chosen.empty() ? nullptr : blockAt(document_.experiment().stack, chosen.front());
    if (!first) {
        return;
    }
    change(first->checkpoint ? tr("No checkpoint") : tr("Checkpoint"),
           [&, on = !first->checkpoint](Layers& layers) {
               for (const Path& path : chosen) {
                   if (stack::Layer* layer = layerAt(layers, path)) {
                       if (auto* block = std::get_if<stack::Block>(&layer->op)) {
                           block->checkpoint = on;
                       }
                   }
               }
               return chosen;
           });
}

void StackEditor::copySelected() {
    const Layers layers = copyOf(document_.experiment().stack, selectedPaths());
    if (!layers.empty()) {
        QGuiApplication::clipboard()->setText(layersToText(layers));
    }
}

void StackEditor::cutSelected() {
    copySelected();
    removeSelected();
}

void StackEditor::paste() {
    const auto [parent, row] = insertionPoint();
    insertText(QGuiApplication::clipboard()->text(), tr("Paste"), parent, row);
}

void StackEditor::insertText(const QString& text, const QString& what, const Path& parent, int row) {
    auto pasted = layersFromText(text);
    if (!pasted) {
        return setRefusal(tr("Cannot paste: %1").arg(QString::fromStdString(pasted.error().message)));
    }
    change(what, [&](Layers& layers) {
        makeIdsUnique(*pasted, layerIds(layers));
        makeBlockNamesUnique(*pasted, layers);
        return insertLayers(layers, parent, row, std::move(*pasted));
    });
}

bool StackEditor::dropped(const QMimeData& dragged, bool copy, const Path& parent, int row) {
    const auto paths = model_->draggedPaths(dragged);
    if (!paths || copy) {
        insertText(QString::fromUtf8(dragged.data(StackModel::kLayersMime)), tr("Drop layers"), parent, row);
        return true;
    }
    change(tr("Move"),
           [&](Layers& layers) { return moveLayers(layers, *paths, parent, row).value_or(*paths); });
    return true;
}

}  // namespace highwater::desktop
