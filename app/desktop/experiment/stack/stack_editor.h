#pragma once

#include <QHash>
#include <QTimer>
#include <memory>

#include "app/desktop/experiment/stack/document.h"
#include "app/desktop/experiment/stack/layer_tree.h"
#include "core/predict/predict.h"
#include "widgets/theme/panel.h"

class QAction;
class QLabel;
class QMenu;
class QMimeData;

namespace highwater::desktop {

class AdviceBox;
class StackModel;
class StackTreeView;

/// The stack as an editable list: add, drag to reorder, duplicate, group into blocks, presets, copy and
/// paste. All changes go through the document, so that they can be undone.
class StackEditor : public widgets::Panel {
    Q_OBJECT
public:
    /// The document must outlive the editor.
    explicit StackEditor(ExperimentDocument& document, QWidget* parent = nullptr);

    /// The path of the layer whose options are shown; empty if there is none.
    Path currentPath() const;
    Paths selectedPaths() const;
    void select(const Paths& paths);

    /// Actions for the window's menus Edit and Stack, with their shortcuts; they are enabled as the selection
    /// allows.
    QList<QAction*> editActions() const { return {cut_, copy_, paste_, duplicate_, remove_}; }
    QList<QAction*> layerActions() const { return {up_, down_, group_, ungroup_, checkpoint_}; }
    QMenu* addMenu() const { return addMenu_; }
    QMenu* presetsMenu() const { return presetsMenu_; }

    /// The prediction for the stack; null if there is none. Until the next one arrives, it is also shown for
    /// the edited stack, as long as the number of layers is the same.
    void setPrediction(std::shared_ptr<const predict::Prediction> prediction);
    /// Announces that the next prediction will arrive soon. The list is then repainted once, together with
    /// it, or after a moment if it does not arrive.
    void awaitPrediction();

public slots:
    /// Adds a layer of that type after the current layer, or into it if it is an empty block.
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
    /// The current layer or its position changed.
    void currentChanged(const std::vector<int>& path);
    /// A preset has replaced the experiment, whose batch size was `batchBefore`.
    void presetTaken(const QString& title, qint64 batchBefore);
    /// The user chose a size on the safe side of a cliff. The owner sets it in the experiment.
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
    void setRefusal(const QString& why);
    void showMessage();
    void showContextMenu(const QPoint& at);
    void change(const QString& what, const std::function<Paths(Layers&)>& change);
    bool dropped(const QMimeData& data, bool copy, const Path& parent, int row);
    std::pair<Path, int> insertionPoint() const;
    void insertText(const QString& text, const QString& what, const Path& parent, int row);

    ExperimentDocument& document_;
    StackModel* model_;
    StackTreeView* view_;
    QLabel* message_;
    QString invalid_, refusal_;  ///< why the stack is invalid, and why nothing was pasted
    AdviceBox* advice_;
    std::shared_ptr<const predict::Prediction> prediction_;
    QTimer awaiting_;
    QMenu* addMenu_;
    QMenu* presetsMenu_;
    QList<QAction*> actions_;
    QAction *duplicate_, *remove_, *up_, *down_, *group_, *ungroup_, *checkpoint_, *copy_, *cut_, *paste_;
    QList<QAction*> exports_;  ///< of the list (widgets::offerTable)
};

}  // namespace highwater::desktop
