#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/wire/events.h"
#include "widgets/theme/panel.h"

class QToolButton;
class QTreeWidget;

namespace highwater::desktop {

/// What the modules of a script's model cost, as a tree of their names: activations kept for the backward
/// pass, times, parameters. A module that contains others shows the sum of what they cost. Optionally each
/// value is followed by its difference from the run that was shown before.
class ModulesPanel : public widgets::Panel {
    Q_OBJECT
public:
    explicit ModulesPanel(QWidget* parent = nullptr);

    /// Shows the modules of a run. The same id again updates the run on show. `title`: "run #12, watched".
    void setRun(const std::string& id, const QString& title, const std::vector<wire::LayerCost>& modules);
    /// The run on show; empty before the first.
    const std::string& runId() const { return shown_.id; }
    /// Whether values are followed by their difference from the run before.
    void compare(bool on);

signals:
    /// A module without others inside it was double-clicked, or Enter was pressed on it.
    void moduleChosen(const QString& name);

private:
    struct Run {
        std::string id;
        QString title;
        std::vector<wire::LayerCost> modules;
    };
    void fill();
    Run shown_, before_;
    bool comparing_ = false;
    QTreeWidget* tree_;
    QToolButton* compare_;
};

/// The cost of each module and of those that contain it, by name: "encoder" has the sum of what begins with
/// "encoder.".
struct ModuleSum {
    base::Bytes activations = 0;
    base::Millis forward = 0, backward = 0;
    std::int64_t parameters = 0;
};
std::map<std::string, ModuleSum> sumsByModule(const std::vector<wire::LayerCost>& modules);

}  // namespace highwater::desktop
