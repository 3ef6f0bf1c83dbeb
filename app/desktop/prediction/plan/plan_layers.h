#pragma once

#include "app/desktop/prediction/plan/plan_values.h"
#include "widgets/theme/panel.h"

class QLabel;
class QTreeWidget;
class QTreeWidgetItem;

namespace highwater::desktop {

/// "What the plan does": its changes, one line each, and the layers with what is kept and what is computed
/// again. A block opens to show its layers.
class PlanLayers : public widgets::Panel {
    Q_OBJECT
public:
    explicit PlanLayers(QWidget* parent = nullptr);
    /// `changes` are shown above the layers. What was open stays open as long as the layers have their names.
    void setLayers(const std::vector<PlanLayer>& layers, const QStringList& changes);
    QTreeWidget& tree() { return *tree_; }
    /// What the row of a layer shows.
    const PlanLayer& layer(std::size_t place) const { return layers_[place]; }

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    class Cells;
    void fitColumns();
    void rebuild();
    void showTexts();
    std::vector<PlanLayer> layers_;
    std::vector<QTreeWidgetItem*> items_;  ///< by layer
    base::Bytes most_ = 0;                 ///< the longest bar stands for it
    QLabel* changes_;
    QTreeWidget* tree_;
};

}  // namespace highwater::desktop
