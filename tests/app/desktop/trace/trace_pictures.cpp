// Pictures of the window with memory snapshots, for visual inspection: trace_pictures FOLDER SNAPSHOT... For
// each snapshot: over time, with an allocation clicked, and its segments; then the first two compared. Built
// only by name.
#include <QApplication>
#include <QDir>
#include <QFileInfo>
#include <QTabWidget>
#include <iostream>

#include "app/desktop/trace/snapshot_bar.h"
#include "app/desktop/trace/trace_window.h"
#include "tests/widgets/wait_until.h"
#include "widgets/theme/theme.h"
#include "widgets/timeline/groups_page.h"
#include "widgets/timeline/segment_map_view.h"
#include "widgets/timeline/segments_panel.h"
#include "widgets/timeline/timeline_panel.h"
#include "widgets/timeline/timeline_view.h"

namespace {

using namespace highwater;
using namespace highwater::desktop;

class Photographer {
public:
    Photographer(const QDir& folder, const QString& theme, const QSize& size)
        : folder_(folder), suffix_(QString("-%1-%2.png").arg(theme).arg(size.width())), size_(size) {}

    void take(const QString& file, const QString& other) {
        desktop::TraceWindow window(desktop::traceSource(file), {});
        window.setAttribute(Qt::WA_DeleteOnClose, false);
        window.resize(size_);
        window.show();
        const QString name = QFileInfo(file).completeBaseName().left(12);
        save(window, name + "-first");
        if (window.panel().showsTrace() && !window.showsSegments()) {
            window.panel().tabs().setCurrentIndex(3);
            clickLargest(window);
            save(window, name + "-clicked");
            window.panel().view().zoomToRefusal();
            save(window, name + "-refusal");
        }
        window.bar().setPage(desktop::SnapshotBar::Segments);
        window.segments().groups().setGrouping(widgets::Grouping::Function);
        const auto* map = window.segments().view().map();
        if (map && !map->blocks.empty()) {
            window.segments().view().selectBlock(map->segments.front().first);
        }
        save(window, name + "-segments");
        if (window.panel().showsTrace() && !window.panel().index()->trace().refusals.empty()) {
            window.segments().setMoment(1);
            save(window, name + "-ran-out");
        }
        if (!other.isEmpty() && window.panel().showsTrace()) {
            window.bar().setPage(desktop::SnapshotBar::Timeline);
            window.compareWith(desktop::traceSource(other));
            save(window, name + "-compared");
        }
    }

private:
    void clickLargest(desktop::TraceWindow& window) {
        const auto* index = window.panel().index();
        std::uint32_t largest = 0;
        for (std::uint32_t block = 0; block < index->blocks(); ++block) {
            if (index->trace().blocks[block].stack >= 0 && index->bytes(block) > index->bytes(largest)) {
                largest = block;
            }
        }
        window.panel().view().chooseMoment(index->life(largest).begin);
        window.panel().view().selectBlock(largest);
    }
    void save(desktop::TraceWindow& window, const QString& name) {
        test::waitUntil([&] { return !window.loading(); });
        window.grab().save(folder_.filePath(name + suffix_));
        std::cerr << name.toStdString() << suffix_.toStdString() << '\n';
    }
    QDir folder_;
    QString suffix_;
    QSize size_;
};

}  // namespace

int main(int argc, char** argv) {
    using highwater::widgets::ThemeMode;
    QApplication app(argc, argv);
    QDir folder(argc > 1 ? argv[1] : ".");
    qputenv("XDG_CONFIG_HOME", folder.filePath("config").toUtf8());
    for (const auto& [mode, name] : {std::pair{ThemeMode::Dark, "dark"}, {ThemeMode::Light, "light"}}) {
        highwater::widgets::applyTheme(app, mode);
        for (const QSize& size : {QSize(1000, 700), QSize(1440, 900)}) {
            for (int i = 2; i < argc; ++i) {
                Photographer(folder, name, size).take(argv[i], i + 1 < argc ? argv[i + 1] : "");
            }
        }
    }
    return 0;
}
