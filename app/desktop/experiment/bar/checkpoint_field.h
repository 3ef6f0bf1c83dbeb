#pragma once

#include "app/desktop/experiment/stack/document.h"

#include <QWidget>

class QComboBox;
class QSpinBox;

namespace highwater::desktop {

/// The field that selects how the stack is checkpointed: as its blocks say, not at all, in sqrt(n) segments,
/// or in a given number of segments.
class CheckpointField : public QWidget {
    Q_OBJECT
public:
    /// The document must outlive the field.
    explicit CheckpointField(ExperimentDocument& document, QWidget* parent = nullptr);

private:
    void refresh();
    ExperimentDocument& document_;
    QComboBox* kind_;
    QSpinBox* segments_;  ///< shown only if a number of segments is needed
};

}  // namespace highwater::desktop
