#include "app/desktop/trace/trace_window.h"

#include <QApplication>
#include <QCloseEvent>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QMenuBar>
#include <QMimeData>
#include <QSettings>
#include <QStackedWidget>
#include <QTabWidget>
#include <QVBoxLayout>
#include <utility>

#include "app/desktop/trace/snapshot_bar.h"
#include "app/desktop/trace/trace_range.h"
#include "widgets/controls/last_folder.h"
#include "widgets/controls/notice_bar.h"
#include "widgets/help/docs_window.h"
#include "widgets/theme/menu_text.h"
#include "widgets/theme/panel.h"
#include "widgets/theme/screen_size.h"
#include "widgets/timeline/segments_panel.h"
#include "widgets/timeline/timeline_panel.h"
#include "widgets/timeline/timeline_view.h"
#include "widgets/timeline/timeline_words.h"

namespace highwater::desktop {

namespace {

QString snapshotFilter() {
    return QObject::tr("PyTorch memory snapshots (*.pickle *.pkl);;All files (*)");
}

}  // namespace

TraceWindow::TraceWindow(TraceSource source, std::function<std::vector<TraceSource>()> others,
                         QWidget* parent)
    : QMainWindow(parent),
      source_(std::move(source)),
      others_(std::move(others)),
      saving_(savePool_),
      panel_(new widgets::TimelinePanel),
      segments_(new widgets::SegmentsPanel),
      bar_(new SnapshotBar),
      pages_(new QStackedWidget),
      notices_(new widgets::NoticeBar),
      mapping_(mapPool_) {
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("Memory of %1").arg(source_.title));
    setAcceptDrops(true);
    auto* center = new QWidget;
    auto* layout = widgets::makeLayout<QVBoxLayout>(center, 0);
    layout->addWidget(notices_);
    layout->addWidget(bar_);
    layout->addWidget(pages_, 1);
    pages_->addWidget(panel_);
    pages_->addWidget(segments_);
    bar_->hide();
    setCentralWidget(center);
    buildMenu();
    connectLoaders();
    connect(panel_, &widgets::TimelinePanel::layerClicked, this, [this](int layer) {
        emit layerClicked(layer, QString::fromStdString(trace_->layers[static_cast<std::size_t>(layer)]));
    });
    connect(panel_, &widgets::TimelinePanel::prepared, this, [this] {
        if (otherTrace_) {
            panel_->compareWith(otherTrace_);
        }
        if (!wantedLayer_.isEmpty()) {
            showLayer(std::exchange(wantedLayer_, {}));
        }
    });
    connect(panel_, &widgets::TimelinePanel::cancelled, this, &TraceWindow::showCancelled);
    connect(panel_, &widgets::TimelinePanel::failed, this,
            [this](const QString& message) { problem_ = message; });
    resize(widgets::onScreen(*this, {1280, 860}));
    widgets::placeAsKept(*this, QSettings().value("trace/geometry").toByteArray());
    begin();
}

TraceWindow::~TraceWindow() {
    saving_.cancel();
    mapping_.cancel();
    savePool_.waitForDone();
    mapPool_.waitForDone();
}

void TraceWindow::connectLoaders() {
    connect(&loader_, &TraceLoader::inspected, this, &TraceWindow::ask);
    connect(&loader_, &TraceLoader::opened, this, &TraceWindow::adopt);
    connect(&loader_, &TraceLoader::progress, this, &TraceWindow::showLoading);
    connect(&loader_, &TraceLoader::failed, this, &TraceWindow::fail);
    connect(&loader_, &TraceLoader::loaded, this, [this](std::shared_ptr<const memory::Trace> trace) {
        trace_ = std::move(trace);
        panel_->setTrace(trace_);
    });
    connect(&otherLoader_, &TraceLoader::failed, this, [this](const QString& message) {
        notices_->show(widgets::NoticeBar::Kind::Error, tr("%1: %2").arg(other_.title, message));
    });
    connect(&otherLoader_, &TraceLoader::loaded, this, [this](std::shared_ptr<const memory::Trace> trace) {
        notices_->dismiss();
        otherTrace_ = std::move(trace);
        if (panel_->showsTrace()) {
            panel_->compareWith(otherTrace_);
        }
    });
    connect(bar_, &SnapshotBar::pageChosen, this, &TraceWindow::showPage);
    connect(segments_, &widgets::SegmentsPanel::momentChosen, this, &TraceWindow::showMoment);
    connect(panel_, &widgets::TimelinePanel::prepared, this, &TraceWindow::refreshMoments);
    connect(&panel_->view(), &widgets::TimelineView::momentChosen, this, &TraceWindow::refreshMoments);
    connect(bar_, &SnapshotBar::deviceChosen, this, [this](std::int64_t device) {
        device_ = device;
        begin();
    });
}

void TraceWindow::buildMenu() {
    QMenu* file = menuBar()->addMenu(tr("&File"));
    QAction* save = file->addAction(tr("Save as…"), this, &TraceWindow::chooseFile);
    save->setShortcut(QKeySequence::Save);
    QMenu* compare = file->addMenu(tr("Compare with"));
    connect(compare, &QMenu::aboutToShow, this, [this, compare] { fillCompare(compare); });
    file->addSeparator();
    QAction* close = file->addAction(tr("Close"), this, &QWidget::close);
    close->setShortcut(QKeySequence("Ctrl+W"));
    connect(file, &QMenu::aboutToShow, this, [this, save, compare] {
        save->setEnabled(panel_->showsTrace());
        compare->setEnabled(panel_->showsTrace());
    });

    widgets::addHelpKey(this, "timeline.md");

    QMenu* view = menuBar()->addMenu(tr("&View"));
    view->addAction(tr("Show all\tHome"), &panel_->view(), &widgets::TimelineView::showAll);
    view->addAction(tr("Zoom to the peak\tP"), &panel_->view(), &widgets::TimelineView::zoomToPeak);
    view->addAction(tr("Where memory ran out\tO"), &panel_->view(), &widgets::TimelineView::zoomToRefusal);
    view->addAction(tr("Zoom to the selection\tS"), &panel_->view(), &widgets::TimelineView::zoomToSelection);
    view->addAction(tr("Find…\tCtrl+F"), panel_, &widgets::TimelinePanel::focusSearch);
    view->addSeparator();
    const QStringList pages = {tr("Largest allocations"), tr("Bytes × lifetime"), tr("Layers"),
                               tr("In use, by code")};
    for (int page = 0; page < static_cast<int>(pages.size()); ++page) {
        QAction* action =
            view->addAction(pages[page], this, [this, page] { panel_->tabs().setCurrentIndex(page); });
        action->setShortcut(QKeySequence(QString("Ctrl+%1").arg(page + 1)));
    }
    view->addSeparator();
    QAction* time = view->addAction(tr("Over time"), this, [this] { bar_->setPage(SnapshotBar::Timeline); });
    time->setShortcut(QKeySequence("Ctrl+5"));
    QAction* segments =
        view->addAction(tr("Segments"), this, [this] { bar_->setPage(SnapshotBar::Segments); });
    segments->setShortcut(QKeySequence("Ctrl+6"));
    connect(view, &QMenu::aboutToShow, this, [this, time, segments] {
        time->setEnabled(trace_ != nullptr);
        segments->setEnabled(snapshot_ && snapshot_->map);
    });
}

void TraceWindow::fillCompare(QMenu* menu) {
    menu->clear();
    for (const TraceSource& other : others_ ? others_() : std::vector<TraceSource>()) {
        if (other.path != source_.path) {
            menu->addAction(widgets::menuText(other.title), this, [this, other] { compareWith(other); });
        }
    }
    menu->addSeparator();
    menu->addAction(tr("A memory snapshot…"), this, &TraceWindow::chooseSnapshot);
    QAction* none = menu->addAction(tr("Nothing"), this, [this] {
        otherLoader_.cancel();
        otherTrace_.reset();
        panel_->compareWith(nullptr);
    });
    none->setEnabled(panel_->comparing());
}

// --- loading ---

void TraceWindow::begin() {
    problem_.clear();
    panel_->showState();
    panel_->state().showProgress(tr("Opening %1").arg(source_.title), {}, -1,
                                 {tr("Cancel"), [this] { showCancelled(); }});
    pages_->setCurrentWidget(panel_);
    if (source_.kind == TraceSource::Kind::Snapshot) {
        notices_->dismiss();
        loader_.open(source_, {device_, {}, TraceRangeDialog::kLarge - 1});
    } else {
        loader_.inspect(source_);
    }
}

void TraceWindow::ask(const TraceSize& size) {
    size_ = size;
    if (!size.complete) {
        notices_->show(widgets::NoticeBar::Kind::Warning,
                       tr("The run ended while writing its trace: this is what was written."));
    }
    if (size.events == 0) {
        panel_->state().showMessage(tr("No allocations"), tr("The run ended before it allocated anything."));
    } else if (size.events < TraceRangeDialog::kLarge) {
        load({});
    } else {
        askForRange();
    }
}

void TraceWindow::askForRange() {
    panel_->state().showMessage(tr("%1 events").arg(widgets::countText(size_->events)),
                                tr("Choose which of them to load."));
    auto* dialog = new TraceRangeDialog(source_, *size_, this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QDialog::accepted, this, [this, dialog] { load(dialog->range()); });
    connect(dialog, &QDialog::rejected, this, &TraceWindow::showCancelled);
    dialog->open();
}

void TraceWindow::load(std::optional<capture::Range> range) {
    showLoading(0);
    if (source_.kind == TraceSource::Kind::Snapshot) {
        loader_.open(source_, {device_, range});
    } else {
        loader_.load(source_, range);
    }
}

void TraceWindow::showLoading(double fraction) {
    const QString detail = size_
                               ? tr("%1 events, %2 at the peak")
                                     .arg(widgets::countText(size_->events), widgets::bytesText(size_->peak))
                               : QString();
    panel_->state().showProgress(tr("Loading %1").arg(source_.title), detail, fraction,
                                 {tr("Cancel"), [this] { showCancelled(); }});
}

void TraceWindow::showCancelled() {
    loader_.cancel();
    pages_->setCurrentWidget(panel_);
    panel_->showState();
    panel_->state().showMessage(
        tr("Cancelled"), tr("%1 was not loaded.").arg(source_.title),
        {{tr("Load it anyway"), [this] { begin(); }}, {tr("Close"), [this] { close(); }}});
}

void TraceWindow::fail(const QString& message) {
    problem_ = message;
    panel_->showState();
    panel_->state().showMessage(tr("%1 cannot be shown").arg(source_.title), message,
                                {{tr("Try again"), [this] { begin(); }}, {tr("Close"), [this] { close(); }}},
                                true);
}

bool TraceWindow::loading() const {
    return loader_.busy() || otherLoader_.busy() || saving_.busy() || !panel_->settled() ||
           !segments_->settled() || mapping_.busy();
}

void TraceWindow::compareWith(const TraceSource& other) {
    other_ = other;
    notices_->show(widgets::NoticeBar::Kind::Info, tr("Loading %1 to compare with…").arg(other.title),
                   tr("Cancel"), [this] {
                       otherLoader_.cancel();
                       notices_->dismiss();
                   });
    otherLoader_.load(other);
}

void TraceWindow::chooseSnapshot() {
    const QString file =
        QFileDialog::getOpenFileName(this, tr("Compare with a memory snapshot"),
                                     widgets::lastFolder("files/snapshotFolder"), snapshotFilter());
    if (!file.isEmpty()) {
        compareWith(traceSource(file));
    }
}

void TraceWindow::showLayer(const QString& name) {
    const widgets::TraceIndex* index = panel_->index();
    if (!index) {
        wantedLayer_ = name;
        return;
    }
    const auto& layers = index->trace().layers;
    const auto found = std::find(layers.begin(), layers.end(), name.toStdString());
    panel_->showLayer(found == layers.end() ? -1 : static_cast<int>(found - layers.begin()));
}

// --- the window ---

void TraceWindow::dragEnterEvent(QDragEnterEvent* event) {
    const auto urls = event->mimeData()->urls();
    if (urls.size() == 1 && urls.front().isLocalFile()) {
        event->acceptProposedAction();
    }
}

void TraceWindow::dropEvent(QDropEvent* event) {
    event->acceptProposedAction();
    emit snapshotDropped(event->mimeData()->urls().front().toLocalFile());
}

void TraceWindow::closeEvent(QCloseEvent* event) {
    QSettings().setValue("trace/geometry", saveGeometry());
    loader_.cancel();
    otherLoader_.cancel();
    QMainWindow::closeEvent(event);
}

}  // namespace highwater::desktop

#include "moc_trace_window.cpp"
