#pragma once

#include "widgets/stack/document.h"

#include <QWidget>

class QComboBox;
class QSpinBox;

namespace highwater::widgets {

/// How the stack is checkpointed: by block, not at all, in sqrt(n) segments, or in so many.
class CheckpointField : public QWidget {
    Q_OBJECT
public:
    /// The document must outlive the field.
    explicit CheckpointField(ExperimentDocument& document, QWidget* parent = nullptr);

private:
    void refresh();
    ExperimentDocument& document_;
    QComboBox* kind_;
    QSpinBox* segments_;  ///< shown where their number counts
};

}  // namespace highwater::widgets
