#pragma once

#include <QMainWindow>
#include <functional>
#include <memory>
#include <vector>

#include "app/desktop/trace/trace_loader.h"

class QMenu;

class QStackedWidget;

namespace highwater::widgets {
class NoticeBar;
class SegmentsPanel;
class TimelinePanel;
}  // namespace highwater::widgets

namespace highwater::desktop {

class SnapshotBar;

/// A window with one trace, "Memory of run 12". It loads the trace (asking for a range if the capture is
/// large), compares it with another, and saves it in the formats of other viewers. For a PyTorch snapshot it
/// shows one device at a time, over time or as its segments at the end.
class TraceWindow : public QMainWindow {
    Q_OBJECT
public:
    /// `others` returns the traces to offer for comparison, newest first.
    TraceWindow(TraceSource source, std::function<std::vector<TraceSource>()> others,
                QWidget* parent = nullptr);
    ~TraceWindow() override;

    const TraceSource& source() const { return source_; }
    void compareWith(const TraceSource& other);
    /// Highlights the layer with that name if the trace has it, once it has been read.
    void showLayer(const QString& name);
    /// Writes the trace that is shown. The suffix of the file decides the format (.pickle, .json, .csv).
    void saveTo(const QString& file);

    widgets::TimelinePanel& panel() { return *panel_; }
    widgets::SegmentsPanel& segments() { return *segments_; }
    SnapshotBar& bar() { return *bar_; }
    bool showsSegments() const;
    bool loading() const;  ///< something is still being loaded or saved
    QString problem() const { return problem_; }

signals:
    void layerClicked(int layer, const QString& name);
    void snapshotDropped(const QString& file);

protected:
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    void closeEvent(QCloseEvent* event) override;

private:
    void buildMenu();
    void fillCompare(QMenu* menu);
    void begin();
    void ask(const TraceSize& size);
    void askForRange();
    void adopt(std::shared_ptr<const ShownSnapshot> snapshot);
    void saySomethingOf(const ShownSnapshot& snapshot);
    void showPage();
    void refreshMoments();
    void showMoment();
    void connectLoaders();
    void load(std::optional<capture::Range> range);
    void showLoading(double fraction);
    void showCancelled();
    void fail(const QString& message);
    void chooseFile();
    void chooseSnapshot();

    QString wantedLayer_;  ///< to be highlighted once the trace has been read
    TraceSource source_, other_;
    std::function<std::vector<TraceSource>()> others_;
    TraceLoader loader_, otherLoader_;
    QThreadPool savePool_;
    widgets::LatestJob saving_;
    widgets::TimelinePanel* panel_;
    widgets::SegmentsPanel* segments_;
    SnapshotBar* bar_;
    QStackedWidget* pages_;
    widgets::NoticeBar* notices_;
    std::shared_ptr<const ShownSnapshot> snapshot_;
    std::vector<SnapshotMoment> moments_;
    QThreadPool mapPool_;
    widgets::LatestJob mapping_;
    bool saidMapping_ = false;            // the note that the map of another moment takes a while was shown
    std::optional<std::int64_t> device_;  // of the snapshot; std::nullopt: the one to show first
    std::shared_ptr<const memory::Trace> trace_, otherTrace_;
    std::optional<TraceSize> size_;
    QString problem_;
};

}  // namespace highwater::desktop
