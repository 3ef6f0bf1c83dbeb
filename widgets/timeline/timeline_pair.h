#pragma once

#include <QSplitter>
#include <memory>

#include "widgets/timeline/trace_index.h"

namespace highwater::widgets {

class ElidedLabel;
class OverviewStrip;
class TimelineView;

/// A timeline with its overview, and beside it those of the trace it is compared with, if there is one. Both
/// share one scale of bytes, so that zooming and moving it affects both, and the kind of axis; each has its
/// own range of time. A layer that is highlighted on the left is highlighted by its name on the right.
class TimelinePair : public QSplitter {
    Q_OBJECT
public:
    /// Hover cards are shown within `cardHost`.
    explicit TimelinePair(QWidget* cardHost);

    /// Sets the trace on the left and clears the right side.
    void setIndex(const std::shared_ptr<const TraceIndex>& index);
    /// Sets the trace on the right; null hides it.
    void compare(const std::shared_ptr<const TraceIndex>& other);
    void showLayer(int layer);
    TimelineView& view() { return *left_.view; }
    TimelineView& other() { return *right_.view; }

private:
    struct Side {
        QWidget* whole = nullptr;
        ElidedLabel* name = nullptr;
        TimelineView* view = nullptr;
        OverviewStrip* overview = nullptr;
    };
    Side build(QWidget* cardHost);
    void link(TimelineView* from, TimelineView* to);
    Side left_, right_;
    bool linking_ = false;
};

}  // namespace highwater::widgets
