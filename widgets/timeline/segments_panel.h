#pragma once

#include <QThreadPool>
#include <QWidget>
#include <memory>

#include "widgets/jobs/latest_job.h"
#include "widgets/timeline/segment_map.h"

class QComboBox;

namespace highwater::widgets {

class ElidedLabel;
class GroupsPage;
class Legend;
class SegmentMapView;
class StackPane;

/// A device's memory at one moment: the map of its segments, below it the memory in use by the code that
/// allocated it, and the call stack of the selected block or group.
class SegmentsPanel : public QWidget {
    Q_OBJECT
public:
    explicit SegmentsPanel(QWidget* parent = nullptr);
    ~SegmentsPanel() override;

    /// `when` completes the sentence "in use …".
    void setMap(std::shared_ptr<const SegmentMap> map, const QString& when = {});
    /// The moments whose map can be shown; the chooser is hidden if there are fewer than two.
    void setMoments(const QStringList& moments, int current);
    int moment() const;
    void setMoment(int moment);
    /// True if no sums are being computed.
    bool settled() const { return !job_.busy(); }

    SegmentMapView& view() { return *view_; }
    GroupsPage& groups() { return *groups_; }
    StackPane& stack() { return *stack_; }
    QString summary() const;

signals:
    void momentChosen();

private:
    QWidget* buildTools();
    void showBlock();
    void refreshGroups();
    void refreshLegend();
    QThreadPool pool_;
    LatestJob job_;
    std::shared_ptr<const SegmentMap> map_;
    SegmentMapView* view_;
    GroupsPage* groups_;
    StackPane* stack_;
    Legend* legend_;
    ElidedLabel* summary_;
    QComboBox *moment_, *order_, *width_;
    QString when_;
};

}  // namespace highwater::widgets
