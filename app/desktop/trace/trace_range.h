#pragma once

#include <QDialog>

#include "app/desktop/trace/trace_loader.h"

class QLabel;
class QRadioButton;
class QSpinBox;

namespace highwater::desktop {

/// Asks which part of a large capture to load: all of it, some steps, or some events.
class TraceRangeDialog : public QDialog {
    Q_OBJECT
public:
    TraceRangeDialog(const TraceSource& source, const TraceSize& size, QWidget* parent = nullptr);
    /// The range to load; std::nullopt means all of it.
    std::optional<capture::Range> range() const;

    /// From this number of events on, the dialog is shown.
    static constexpr std::int64_t kLarge = 5'000'000;

private:
    void update();
    TraceSize size_;
    QRadioButton *all_, *steps_, *events_;
    QSpinBox *firstStep_, *lastStep_, *firstEvent_, *eventCount_;
    QLabel* cost_;
};

/// The events of the steps [first, last] of a capture (indices into `size.steps`).
capture::Range rangeOfSteps(const TraceSize& size, std::size_t first, std::size_t last);

}  // namespace highwater::desktop
