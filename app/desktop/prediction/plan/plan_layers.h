#pragma once

#include "app/desktop/prediction/plan/plan_values.h"
#include "widgets/theme/panel.h"

class QLabel;
class QTreeWidget;
class QTreeWidgetItem;

namespace highwater::desktop {

/// "What the plan does": its changes, one line each, and the bytes that each layer keeps and recomputes.
/// A block can be expanded to show its layers.
class PlanLayers : public widgets::Panel {
    Q_OBJECT
public:
    explicit PlanLayers(QWidget* parent = nullptr);
    /// `changes` are shown above the layers. Blocks stay expanded as long as the layers have the same names.
    void setLayers(const std::vector<PlanLayer>& layers, const QStringList& changes);
    QTreeWidget& tree() { return *tree_; }
    /// The row of a layer, as shown.
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
    base::Bytes most_ = 0;                 ///< the bytes of the longest bar
    QLabel* changes_;
    QTreeWidget* tree_;
};

}  // namespace highwater::desktop
