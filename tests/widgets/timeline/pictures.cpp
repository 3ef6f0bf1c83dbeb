#include <QApplication>
#include <QDir>
#include <QElapsedTimer>
#include <QMouseEvent>
#include <QPixmap>
#include <QTabWidget>
#include <functional>

#include "tests/bench/timeline_bench/training_capture.h"
#include "widgets/theme/theme.h"
#include "widgets/timeline/timeline_panel.h"
#include "widgets/timeline/timeline_view.h"

/// Pictures of the timeline's states, for visual inspection: timeline_pictures FOLDER.
namespace highwater::widgets {
namespace {

void settle(const std::function<bool()>& done) {
    QElapsedTimer clock;
    clock.start();
    do {
        QCoreApplication::processEvents(QEventLoop::AllEvents, 20);
    } while (!done() && clock.elapsed() < 20000);
}

void pictures(const QDir& folder, const QString& theme) {
    TimelinePanel panel;
    panel.resize(1280, 860);
    panel.show();
    const auto save = [&](const QString& name) {
        settle([&] { return panel.settled(); });
        panel.grab().save(folder.filePath(name + "-" + theme + ".png"));
    };
    panel.setTrace(std::make_shared<const memory::Trace>(bench::trainingCapture(8000)));
    panel.grab().save(folder.filePath("preparing-" + theme + ".png"));
    save("all");
    TimelineView& view = panel.view();
    const auto& steps = view.index()->trace().steps;
    TimelineRange range = view.range();
    range.from = view.index()->begin(range.axis, steps[3].event + 1);
    range.to = view.index()->begin(range.axis, steps[4].event + 1);
    view.setRange(range);
    panel.tabs().setCurrentIndex(1);
    save("step");
    const QPointF at = view.plot().topLeft() + QPointF(300, 330);
    QMouseEvent hover(QEvent::MouseMove, at, view.mapToGlobal(at), Qt::NoButton, {}, {});
    QApplication::sendEvent(&view, &hover);
    save("hover");
    panel.showLayer(2);
    save("layer");
    panel.showLayer(-1);
    view.setAxis(TimelineAxis::Events);
    view.setRange(zoomedTime(view.range(), view.range().from + 330, 0.05));
    panel.tabs().setCurrentIndex(2);
    save("near");
    view.zoomToBlock(panel.index()->spans()[500].block);
    save("block");
    panel.search("conv > 10 MiB");
    settle([&] { return panel.settled(); });
    panel.findNext();
    panel.compareWith(std::make_shared<const memory::Trace>(bench::trainingCapture(5000, 2)));
    save("found");
    panel.resize(420, 320);
    save("tiny");
    panel.state().showMessage("This trace cannot be shown", "trace.db is damaged: row 3 ends early",
                              {{"Close", [] {}}}, true);
    panel.showState();
    save("error");
}

}  // namespace
}  // namespace highwater::widgets

int main(int argc, char** argv) {
    using namespace highwater::widgets;
    QApplication app(argc, argv);
    const QDir folder(argc > 1 ? argv[1] : ".");
    for (const auto& [mode, name] : {std::pair{ThemeMode::Dark, "dark"}, {ThemeMode::Light, "light"}}) {
        applyTheme(app, mode);
        pictures(folder, name);
    }
    return 0;
}
