#pragma once

#include <QHash>
#include <QTimer>
#include <memory>

#include "core/predict/predict.h"
#include "widgets/stack/document.h"
#include "widgets/stack/layer_tree.h"
#include "widgets/theme/panel.h"

class QAction;
class QLabel;
class QMenu;
class QMimeData;

namespace highwater::widgets {

class AdviceBox;
class StackModel;
class StackTreeView;

/// The stack as an editable list: add, drag to reorder, duplicate, group into blocks, presets, copy and
/// paste. Everything goes through the document, so that all of it can be undone.
class StackEditor : public Panel {
    Q_OBJECT
public:
    /// The document must outlive the editor.
    explicit StackEditor(ExperimentDocument& document, QWidget* parent = nullptr);

    /// The layer whose options to show; empty for none.
    Path currentPath() const;
    Paths selectedPaths() const;
    void select(const Paths& paths);

    /// For the window's menus. Actions carry their shortcuts and are enabled as the selection allows.
    QList<QAction*> layerActions() const { return actions_; }
    QMenu* addMenu() const { return addMenu_; }
    QMenu* presetsMenu() const { return presetsMenu_; }

    /// What is predicted of the stack as it is now; null: nothing. Until the next one arrives it stands for
    /// the edited stack too, as long as that has as many layers.
    void setPrediction(std::shared_ptr<const predict::Prediction> prediction);
    /// The next prediction is on its way: the list is painted once, with it (or after a moment without it).
    void awaitPrediction();

public slots:
    /// A new layer of that type after the current one (into it, where that is an empty block).
    void addLayer(const QString& type);
    void addBlock();
    void removeSelected();
    void duplicateSelected();
    void moveSelected(int by);
    void groupSelected();
    void ungroupSelected();
    void toggleCheckpoint();
    void copySelected();
    void cutSelected();
    void paste();

signals:
    /// The current layer or its place changed.
    void currentChanged(const std::vector<int>& path);
    /// A size on the safe side of a cliff was chosen, to be put into the experiment.
    void safeSizeChosen(const QString& axis, qint64 value);

private:
    void buildBody();
    void buildActions();
    void buildAddMenu();
    void buildPresetsMenu();
    QAction* addAction(const QString& text, const QKeySequence& key, const QString& tip,
                       void (StackEditor::*act)());
    void refresh();
    void updateActions();
    void paintAgain();
    void showMessage(const QString& message);
    void showContextMenu(const QPoint& at);
    void change(const QString& what, const std::function<Paths(Layers&)>& change);
    bool dropped(const QMimeData& data, bool copy, const Path& parent, int row);
    std::pair<Path, int> insertionPoint() const;
    void insertText(const QString& text, const QString& what, const Path& parent, int row);

    ExperimentDocument& document_;
    StackModel* model_;
    StackTreeView* view_;
    QLabel* message_;
    AdviceBox* advice_;
    std::shared_ptr<const predict::Prediction> prediction_;
    QTimer awaiting_;
    QMenu* addMenu_;
    QMenu* presetsMenu_;
    QList<QAction*> actions_;
    QAction *duplicate_, *remove_, *up_, *down_, *group_, *ungroup_, *checkpoint_, *copy_, *cut_, *paste_;
};

}  // namespace highwater::widgets
