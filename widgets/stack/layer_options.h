#pragma once

#include "widgets/stack/document.h"
#include "widgets/stack/layer_tree.h"
#include "widgets/theme/panel.h"

class QLabel;
class QScrollArea;

namespace highwater::widgets {

class OptionForm;

/// The form for one layer of the document. Changes apply while typing; consecutive ones of a field are one
/// undo step. Wrong text is marked with its reason and not applied.
class LayerOptions : public Panel {
    Q_OBJECT
public:
    /// The document must outlive the form.
    explicit LayerOptions(ExperimentDocument& document, QWidget* parent = nullptr);

    /// The layer to show; an empty path, or one that leads nowhere, for none.
    void setCurrent(const std::vector<int>& path);

private:
    void refresh();
    void rebuild(const stack::Layer& layer);
    void describe(const stack::Layer& layer);

    ExperimentDocument& document_;
    Path path_;
    QString formType_;  ///< the type the form was built for; empty for none
    OptionForm* form_ = nullptr;
    QScrollArea* scroll_;
    QLabel* empty_;
};

}  // namespace highwater::widgets
