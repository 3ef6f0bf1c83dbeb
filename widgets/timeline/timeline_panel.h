#pragma once

#include <QThreadPool>
#include <QTimer>
#include <QWidget>
#include <memory>

#include "widgets/jobs/latest_job.h"
#include "widgets/timeline/stack_groups.h"
#include "widgets/timeline/state_page.h"
#include "widgets/timeline/trace_models.h"
#include "widgets/timeline/trace_search.h"

class QComboBox;
class QLabel;
class QLineEdit;
class QStackedWidget;
class QTabWidget;
class QTableView;
class QToolButton;

namespace highwater::widgets {

class ElidedLabel;
class FlameView;
class GroupsPage;
class Legend;
class StackPane;
class TimelinePair;
class TimelineView;

/// The view of a trace: the timeline and a search, and below it the largest allocations, the flame graph, the
/// layers and the memory in use by the code that allocated it (the last two can be compared with another
/// trace), and the call stack of the selected block or group, if the trace has any. All expensive work is
/// done off the window's thread. Keys in addition to the view's own: Ctrl+F search, F3 and Shift+F3 next and
/// previous.
class TimelinePanel : public QWidget {
    Q_OBJECT
public:
    explicit TimelinePanel(QWidget* parent = nullptr);
    ~TimelinePanel() override;

    /// Prepares the trace, with progress and a Cancel button, and shows it when it is ready (prepared()).
    void setTrace(std::shared_ptr<const memory::Trace> trace);
    /// Sets another trace to compare this one with, whose timeline is shown beside it; null for none.
    void compareWith(std::shared_ptr<const memory::Trace> other);
    bool comparing() const { return otherIndex_ != nullptr; }
    const TraceIndex* index() const { return index_.get(); }

    /// The page shown instead of a trace: loading, empty, an error.
    StatePage& state() { return *state_; }
    void showState();
    bool showsTrace() const;
    /// True if nothing is being prepared, searched or summed.
    bool settled() const;

    TimelineView& view() { return *view_; }
    TimelinePair& pair() { return *pair_; }
    FlameView& flame() { return *flame_; }
    QTableView& largestTable() { return *largestTable_; }
    QTableView& layersTable() { return *layersTable_; }
    QTabWidget& tabs() { return *tabs_; }
    GroupsPage& groups() { return *groups_; }
    StackPane& stack() { return *stack_; }
    /// The text beside the search: "3,000 events · peak 9.31 GiB in backward".
    QString note() const;

public slots:
    /// Highlights a layer's allocations everywhere; -1 for none.
    void showLayer(int layer);
    void search(const QString& text);
    void findNext(bool forward = true);
    void focusSearch();

signals:
    void layerClicked(int layer);
    void prepared();
    void cancelled();  ///< the user cancelled the preparation
    void failed(const QString& message);

private:
    QWidget* buildTools();
    QWidget* buildTables();
    void connectParts();
    void connectCode();
    void adopt(std::shared_ptr<const TraceIndex> index);
    void refreshTables();
    void refreshLargest();
    void refreshFlame();
    void refreshLayers();
    void refreshGroups();
    void setMoments(int current);
    std::size_t momentState() const;
    void showBlockStack(const TimelineView& view);
    void showRefusal(int refusal);
    void showGroup(const GroupDifference& group);
    void refreshLegend();
    void runSearch();
    void showFound();
    void updateNote();
    void updateAxis();
    void pickLayer(int layer);

    QThreadPool pool_;
    std::unique_ptr<LatestJob> preparing_, preparingOther_, largestJob_, flameJob_, layersJob_, groupsJob_,
        searchJob_;
    std::shared_ptr<const TraceIndex> index_, otherIndex_;
    QStackedWidget* pages_;
    StatePage* state_;
    TimelineView* view_;
    TimelinePair* pair_;
    Legend* legend_;
    ElidedLabel* note_;
    QLineEdit* searchField_;
    QLabel* foundLabel_;
    QToolButton *previous_, *next_;
    QComboBox* axis_;
    QTabWidget* tabs_;
    LargestModel* largest_;
    LayersModel* layers_;
    QTableView *largestTable_, *layersTable_;
    FlameView* flame_;
    GroupsPage* groups_;
    StackPane* stack_;
    QTimer searchSoon_, tablesSoon_;
    std::vector<std::uint32_t> found_;
    std::ptrdiff_t foundAt_ = -1;
    // A step to the next (true) or previous (false) match, requested before the search had finished.
    std::optional<bool> goWhenFound_;
    LargestOrder order_ = LargestOrder::Bytes;
    bool descending_ = true;
};

}  // namespace highwater::widgets
