#include "widgets/timeline/timeline_panel.h"

#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QStackedWidget>
#include <QTabWidget>
#include <QToolButton>
#include <algorithm>

#include "widgets/theme/panel.h"
#include "widgets/timeline/flame_view.h"
#include "widgets/timeline/groups_page.h"
#include "widgets/timeline/stack_pane.h"
#include "widgets/timeline/timeline_pair.h"
#include "widgets/timeline/timeline_view.h"
#include "widgets/timeline/timeline_words.h"

namespace highwater::widgets {

namespace {

constexpr std::size_t kMostListed = 1000;
using Built = base::Result<std::shared_ptr<const TraceIndex>>;

/// The layers of this trace alone, as rows without a counterpart.
std::vector<LayerDifference> rowsOf(const TraceIndex& index, const StateRange& range) {
    const auto sums = layerSums(index, range);
    const auto& names = index.trace().layers;
    std::vector<LayerDifference> rows;
    for (std::size_t i = 0; i < sums.size(); ++i) {
        rows.push_back(
            {i < names.size() ? names[i] : "", i < names.size() ? static_cast<int>(i) : -1, -1, sums[i], {}});
    }
    return rows;
}

}  // namespace

TimelinePanel::~TimelinePanel() {
    for (auto* job :
         {&preparing_, &preparingOther_, &largestJob_, &flameJob_, &layersJob_, &groupsJob_, &searchJob_}) {
        (*job)->cancel();
    }
    pool_.clear();
    pool_.waitForDone();
}

void TimelinePanel::setTrace(std::shared_ptr<const memory::Trace> trace) {
    otherIndex_.reset();
    preparingOther_->cancel();
    adopt(nullptr);
    showState();
    const QString title =
        tr("Preparing %1 events").arg(countText(static_cast<std::int64_t>(trace->events.size())));
    const StatePage::Action cancel{tr("Cancel"), [this] {
                                       preparing_->cancel();
                                       state_->showMessage(tr("Cancelled"),
                                                           tr("The timeline was not prepared."));
                                       emit cancelled();
                                   }};
    state_->showProgress(title, {}, 0, cancel);
    preparing_->run(
        [trace = std::move(trace), this, title, cancel](const LatestJob::Cancel& stop) -> Built {
            return TraceIndex::build(trace, [&](double fraction) {
                QMetaObject::invokeMethod(this, [this, stop, title, cancel, fraction] {
                    if (!*stop && preparing_->busy()) {
                        state_->showProgress(title, {}, fraction, cancel);
                    }
                });
                return !*stop;
            });
        },
        [this](Built built) {
            if (built) {
                adopt(*built);
                emit prepared();
                return;
            }
            const QString message = QString::fromStdString(built.error().message);
            state_->showMessage(tr("This trace cannot be shown"), message, {}, true);
            emit failed(message);
        });
}

void TimelinePanel::compareWith(std::shared_ptr<const memory::Trace> other) {
    preparingOther_->cancel();
    otherIndex_.reset();
    pair_->compare(nullptr);
    if (!other) {
        refreshLayers();
        setMoments(0);
        refreshGroups();
        return;
    }
    preparingOther_->run(
        [other = std::move(other)](const LatestJob::Cancel& stop) -> Built {
            return TraceIndex::build(other, [&](double) { return !*stop; });
        },
        [this](Built built) {
            if (!built) {
                emit failed(QString::fromStdString(built.error().message));
                return;
            }
            otherIndex_ = *built;
            pair_->compare(otherIndex_);
            refreshLayers();
            setMoments(0);
            refreshGroups();
            const bool stacks = index_->trace().stacks && otherIndex_->trace().stacks;
            tabs_->setCurrentWidget(stacks ? static_cast<QWidget*>(groups_) : layersTable_);
        });
}

void TimelinePanel::showState() {
    pages_->setCurrentIndex(0);
}

bool TimelinePanel::showsTrace() const {
    return pages_->currentIndex() == 1;
}

bool TimelinePanel::settled() const {
    for (const auto* job :
         {&preparing_, &preparingOther_, &largestJob_, &flameJob_, &layersJob_, &groupsJob_, &searchJob_}) {
        if ((*job)->busy()) {
            return false;
        }
    }
    return !searchSoon_.isActive() && !tablesSoon_.isActive();
}

void TimelinePanel::adopt(std::shared_ptr<const TraceIndex> index) {
    index_ = std::move(index);
    found_.clear();
    foundAt_ = -1;
    pair_->setIndex(index_);
    flame_->showLayer(-1);
    if (!index_) {
        for (auto* job : {&largestJob_, &flameJob_, &layersJob_, &groupsJob_, &searchJob_}) {
            (*job)->cancel();
        }
        groups_->setGroups({}, {});
        stack_->clear();
        largest_->setBlocks(nullptr, {});
        layers_->setRows(nullptr, {}, {}, {});
        flame_->setBoxes(nullptr, {});
        return;
    }
    pages_->setCurrentIndex(1);
    view_->setFocus();
    const bool stacks = index_->trace().stacks != nullptr;
    stack_->setVisible(stacks);
    groups_->setGroupingOffered(stacks);
    largestTable_->setColumnHidden(LargestModel::Layer, index_->trace().layers.empty());
    // The columns are narrower beside the call stacks, which need the room.
    largestTable_->setColumnWidth(LargestModel::Bytes, stacks ? 84 : 110);
    largestTable_->setColumnWidth(LargestModel::Category, index_->trace().guessed.empty() ? 140 : 170);
    largestTable_->setColumnWidth(LargestModel::Layer, stacks ? 120 : 200);
    largestTable_->setColumnWidth(LargestModel::Begin, stacks ? 160 : 210);
    largestTable_->setColumnWidth(LargestModel::Lifetime, stacks ? 84 : 120);
    largestTable_->setColumnWidth(
        LargestModel::ByteTime,
        std::max(stacks ? 112 : 150,
                 largestTable_->horizontalHeader()->sectionSizeHint(LargestModel::ByteTime)));
    setMoments(0);
    refreshLegend();
    updateNote();
    updateAxis();
    refreshTables();
    runSearch();
}

// --- tables ---

void TimelinePanel::refreshTables() {
    refreshLargest();
    refreshFlame();
    refreshLayers();
    refreshGroups();
}

void TimelinePanel::refreshLargest() {
    if (!index_) {
        return;
    }
    largestJob_->run([index = index_, range = view_->selectedStates(), order = order_, down = descending_](
                         const auto&) { return largestBlocks(*index, range, order, down, kMostListed); },
                     [this, index = index_](std::vector<std::uint32_t> blocks) {
                         largest_->setBlocks(index, std::move(blocks));
                     });
}

void TimelinePanel::refreshFlame() {
    if (!index_) {
        return;
    }
    flameJob_->run(
        [index = index_, range = view_->selectedStates()](const auto&) { return flameGraph(*index, range); },
        [this, index = index_](std::vector<FlameBox> boxes) { flame_->setBoxes(index, std::move(boxes)); });
}

void TimelinePanel::refreshLayers() {
    if (!index_) {
        return;
    }
    layersJob_->run(
        [index = index_, other = otherIndex_, range = view_->selectedStates()](const auto&) {
            return other ? compareLayers(*index, *other) : rowsOf(*index, range);
        },
        [this, index = index_, other = otherIndex_](std::vector<LayerDifference> rows) {
            const QString name = other ? QString::fromStdString(other->trace().title) : QString();
            layers_->setRows(index, std::move(rows), QString::fromStdString(index->trace().title), name);
            QHeaderView* header = layersTable_->horizontalHeader();
            for (int c = 1; c < layers_->columnCount(); ++c) {
                // Of the nine columns, the layers get the rest of the width.
                header->resizeSection(c, other ? 124 : 150);
            }
            layers_->sort(header->sortIndicatorSection(), header->sortIndicatorOrder());
            tabs_->setTabText(2, other ? tr("Layers, against %1").arg(shortName(name)) : tr("Layers"));
        });
}

// --- search ---

void TimelinePanel::focusSearch() {
    searchField_->setFocus();
    searchField_->selectAll();
}

void TimelinePanel::search(const QString& text) {
    searchField_->setText(text);
    searchSoon_.stop();
    runSearch();
}

void TimelinePanel::runSearch() {
    searchJob_->cancel();
    found_.clear();
    foundAt_ = -1;
    goWhenFound_.reset();
    const auto query = parseQuery(searchField_->text().toStdString());
    searchField_->setProperty("problem", query ? QString() : QString::fromStdString(query.error().message));
    showFound();
    if (!query || query->empty() || !index_) {
        return;
    }
    searchJob_->run([index = index_, query = *query](const auto&) { return findBlocks(*index, query); },
                    [this](std::vector<std::uint32_t> found) {
                        found_ = std::move(found);
                        showFound();
                        if (const auto forward = std::exchange(goWhenFound_, {})) {
                            findNext(*forward);
                        }
                    });
}

void TimelinePanel::showFound() {
    const QString problem = searchField_->property("problem").toString();
    const bool searched = !searchField_->text().trimmed().isEmpty();
    const auto count = static_cast<std::int64_t>(found_.size());
    foundLabel_->setText(!searched            ? QString()
                         : !problem.isEmpty() ? problem
                         : searchJob_->busy() ? tr("…")
                         : count == 0         ? tr("none")
                         : foundAt_ >= 0      ? tr("%1 of %2").arg(countText(foundAt_ + 1), countText(count))
                                              : countText(count));
    foundLabel_->setVisible(searched);
    next_->setEnabled(count > 0);
    previous_->setEnabled(count > 0);
}

void TimelinePanel::findNext(bool forward) {
    if (searchSoon_.isActive()) {
        searchSoon_.stop();
        runSearch();
    }
    if (searchJob_->busy()) {
        goWhenFound_ = forward;
    }
    if (!index_ || found_.empty()) {
        return;
    }
    const auto count = static_cast<std::ptrdiff_t>(found_.size());
    if (foundAt_ >= 0) {
        foundAt_ = (foundAt_ + (forward ? 1 : count - 1)) % count;
    } else {
        const double edge = forward ? view_->range().from : view_->range().to;
        const std::size_t state = index_->stateAt(view_->range().axis, edge);
        const std::size_t from = forward && state > 0 ? state - 1 : state;
        foundAt_ = static_cast<std::ptrdiff_t>(*nextFound(*index_, found_, from, forward));
    }
    view_->zoomToBlock(found_[static_cast<std::size_t>(foundAt_)]);
    showFound();
}

// --- what is shown ---

void TimelinePanel::showLayer(int layer) {
    pair_->showLayer(layer);
    flame_->showLayer(view_->shownLayer());
    if (const int row = layers_->rowOfLayer(layer); row >= 0) {
        layersTable_->selectRow(row);
    }
}

void TimelinePanel::pickLayer(int layer) {
    if (layer < 0) {
        return;
    }
    showLayer(layer);
    emit layerClicked(layer);
}

void TimelinePanel::updateAxis() {
    axis_->setCurrentIndex(view_->range().axis == TimelineAxis::Time ? 0 : 1);
    axis_->setEnabled(index_ && index_->trace().timed);
}

QString TimelinePanel::note() const {
    return note_->text();
}

void TimelinePanel::updateNote() {
    if (!index_) {
        return;
    }
    const StateRange range = view_->selectedStates();
    const std::size_t peak = index_->totals().of(range.first, range.last).highest;
    const memory::Trace& trace = index_->trace();
    QStringList parts;
    if (view_->selection()) {
        parts
            << tr("selected: %1 events").arg(countText(static_cast<std::int64_t>(range.last - range.first)));
    } else if (trace.allEvents > static_cast<std::int64_t>(trace.events.size())) {
        parts << tr("%1 of %2 events")
                     .arg(countText(static_cast<std::int64_t>(trace.events.size())),
                          countText(trace.allEvents));
    } else {
        parts << tr("%1 events").arg(countText(trace.allEvents));
    }
    parts << tr("peak %1 in %2").arg(bytesText(index_->totals()[peak]), placeInStep(*index_, peak));
    if (const auto refusals = trace.refusals.size(); refusals > 0) {
        parts << (refusals == 1 ? tr("out of memory") : tr("%1 times out of memory").arg(refusals));
    }
    note_->setText(parts.join(QStringLiteral(" · ")));
}

}  // namespace highwater::widgets

#include "moc_timeline_panel.cpp"
