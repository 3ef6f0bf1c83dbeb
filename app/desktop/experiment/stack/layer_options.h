#pragma once

#include "app/desktop/experiment/stack/document.h"
#include "app/desktop/experiment/stack/field_to_vary.h"
#include "app/desktop/experiment/stack/option_form.h"
#include "widgets/theme/panel.h"

class QLabel;
class QMenu;
class QScrollArea;

namespace highwater::desktop {

/// The form for the options of one layer. Changes apply while typing; consecutive changes of one field are
/// one undo step. Wrong text is marked with its reason and not applied.
class LayerOptions : public widgets::Panel {
    Q_OBJECT
public:
    /// The document must outlive the form.
    explicit LayerOptions(ExperimentDocument& document, QWidget* parent = nullptr);

    /// Sets the layer to show. An empty path, or one without a layer, shows none.
    void setCurrent(const std::vector<int>& path);

signals:
    /// The user wants a study that varies an option.
    void varyWanted(const highwater::desktop::FieldToVary& field, highwater::desktop::FieldStudy study);

private:
    void refresh();
    void rebuild(const stack::Layer& layer);
    void describe(const stack::Layer& layer);
    void offerToVary(QMenu& menu, const OptionForm::Variation& of);

    ExperimentDocument& document_;
    Path path_;
    QString formType_;  ///< the layer type that the form was built for; empty if there is no form
    OptionForm* form_ = nullptr;
    QScrollArea* scroll_;
    QWidget* place_;  ///< not shown; the recreated fields come before it in the Tab order
    QLabel* empty_;
};

}  // namespace highwater::desktop
