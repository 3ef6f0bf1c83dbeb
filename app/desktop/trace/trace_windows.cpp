#include "app/desktop/trace/trace_windows.h"
#include "widgets/controls/last_folder.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QSettings>
#include <algorithm>

namespace highwater::desktop {

namespace {

constexpr std::size_t kMostOffered = 20;

QString titleOf(const runs::RunSummary& run) {
    const QString number = QObject::tr("run #%1").arg(run.number);
    return run.name.empty() ? number : number + ", " + QString::fromStdString(run.name);
}

}  // namespace

bool isSnapshotName(const QString& file) {
    return file.endsWith(".pickle", Qt::CaseInsensitive) || file.endsWith(".pkl", Qt::CaseInsensitive);
}

TraceWindows::TraceWindows(Store& store, QWidget* parent) : QObject(parent), store_(store), parent_(parent) {
    connect(&store_, &Store::rowsChanged, this, [this] {
        listed_ = true;
        if (!asked_.isEmpty()) {
            open(std::exchange(asked_, {}));
        }
    });
}

TraceWindows::~TraceWindows() {
    for (const auto& window : windows_) {
        delete window.data();
    }
}

TraceSource TraceWindows::sourceOf(const std::string& id) const {
    TraceSource source;
    source.path = store_.folder() / "runs" / id;
    // For a script, PyTorch's own history.
    if (const auto snapshot = source.path / "snapshot.pickle";
        QFileInfo::exists(QString::fromStdString(snapshot.string()))) {
        source.kind = TraceSource::Kind::Snapshot;
        source.path = snapshot;
    }
    source.title = tr("run %1").arg(QString::fromStdString(id));
    for (const runs::RunSummary& run : store_.rows()) {
        if (run.id == id) {
            source.title = titleOf(run);
        }
    }
    return source;
}

std::vector<TraceSource> TraceWindows::runs() const {
    std::vector<TraceSource> sources;
    const auto& rows = store_.rows();
    for (auto run = rows.rbegin(); run != rows.rend() && sources.size() < kMostOffered; ++run) {
        if (run->status != wire::RunStatus::Running) {
            sources.push_back(sourceOf(run->id));
        }
    }
    return sources;
}

TraceWindow* TraceWindows::show(const TraceSource& source) {
    std::erase_if(windows_, [](const auto& window) { return window.isNull(); });
    const auto open = std::find_if(windows_.begin(), windows_.end(),
                                   [&](const auto& window) { return window->source().path == source.path; });
    TraceWindow* window = open == windows_.end() ? nullptr : open->data();
    if (!window) {
        window = new TraceWindow(source, [this] { return runs(); });
        connect(window, &TraceWindow::layerClicked, this, &TraceWindows::layerClicked);
        connect(window, &TraceWindow::snapshotDropped, this, &TraceWindows::openSnapshot);
        windows_.push_back(window);
    }
    window->show();
    window->raise();
    window->activateWindow();
    return window;
}

void TraceWindows::openRun(const std::string& id, const std::string& compareWith) {
    TraceWindow* window = show(sourceOf(id));
    if (!compareWith.empty()) {
        window->compareWith(sourceOf(compareWith));
    }
}

void TraceWindows::openRuns(const std::vector<std::string>& selected) {
    if (selected.size() == 2) {
        openRun(selected.back(), selected.front());
    } else {
        openRun(selected.front());
    }
}

void TraceWindows::openSnapshot(const QString& file) {
    TraceSource source = traceSource(QFileInfo(file).absoluteFilePath());
    show(source);
}

void TraceWindows::open(const QString& fileOrRun) {
    const QFileInfo info(fileOrRun);
    if (info.exists()) {
        show(traceSource(info.absoluteFilePath()));
        return;
    }
    for (const runs::RunSummary& run : store_.rows()) {
        if (QString::fromStdString(run.id) == fileOrRun || QString::number(run.number) == fileOrRun) {
            return openRun(run.id);
        }
    }
    if (!listed_) {
        asked_ = fileOrRun;
    } else {
        show(traceSource(fileOrRun));  // reports that there is no such file
    }
}

void TraceWindows::closeAll() {
    for (const auto& window : windows_) {
        if (window) {
            window->close();
        }
    }
}

QString TraceWindows::askForSnapshot() {
    const QString file = QFileDialog::getOpenFileName(
        parent_, tr("Open memory snapshot"), widgets::lastFolder("files/snapshotFolder"),
        tr("PyTorch memory snapshots (*.pickle *.pkl);;All files (*)"));
    if (!file.isEmpty()) {
        QSettings().setValue("files/snapshotFolder", QFileInfo(file).absolutePath());
    }
    return file;
}

void TraceWindows::chooseSnapshot() {
    if (const QString file = askForSnapshot(); !file.isEmpty()) {
        openSnapshot(file);
    }
}

void TraceWindows::showLayer(const QString& name) {
    for (const auto& window : windows_) {
        if (window) {
            window->showLayer(name);
        }
    }
}

bool TraceWindows::loading() const {
    return !asked_.isEmpty() || std::any_of(windows_.begin(), windows_.end(),
                                            [](const auto& window) { return window && window->loading(); });
}

QString TraceWindows::problem() const {
    const TraceWindow* window = newest();
    return window ? window->problem() : QString();
}

TraceWindow* TraceWindows::newest() const {
    for (auto window = windows_.rbegin(); window != windows_.rend(); ++window) {
        if (*window) {
            return window->data();
        }
    }
    return nullptr;
}

}  // namespace highwater::desktop

#include "moc_trace_windows.cpp"
