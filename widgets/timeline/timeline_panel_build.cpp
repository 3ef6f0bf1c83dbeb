#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QShortcut>
#include <QSplitter>
#include <QStackedWidget>
#include <QTabWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include "widgets/plot/legend.h"
#include "widgets/plot/plot_menu.h"
#include "widgets/plot/plot_values.h"
#include "widgets/theme/panel.h"
#include "widgets/theme/theme.h"
#include "widgets/timeline/flame_view.h"
#include "widgets/timeline/groups_page.h"
#include "widgets/timeline/stack_pane.h"
#include "widgets/timeline/timeline_pair.h"
#include "widgets/timeline/timeline_panel.h"
#include "widgets/timeline/timeline_view.h"
#include "widgets/timeline/timeline_words.h"

namespace highwater::widgets {

namespace {

std::vector<SeriesStyle> legendEntries(const memory::Trace* trace) {
    const auto held = trace ? std::count(trace->guessed.begin(), trace->guessed.end(), true) : 0;
    const QString guess =
        held > 0 ? QObject::tr(
                       " PyTorch does not record what an allocation is for: most are guessed from "
                       "the code that made them and from how long they live.")
                 : QString();
    std::vector<SeriesStyle> entries;
    for (auto c = memory::kCategories.rbegin(); c != memory::kCategories.rend(); ++c) {
        entries.push_back({categoryName(*c), theme().of(*c), categoryMeaning(*c) + guess});
    }
    if (trace && !trace->reserved.empty()) {
        SeriesStyle line{QObject::tr("reserved"), reservedColor(),
                         QObject::tr("What PyTorch's allocator holds of the device")};
        line.line = true;
        line.dotted = false;
        entries.push_back(line);
    }
    return entries;
}

}  // namespace

void TimelinePanel::refreshLegend() {
    legend_->setEntries(legendEntries(index_ ? &index_->trace() : nullptr));
}

TimelinePanel::TimelinePanel(QWidget* parent) : QWidget(parent) {
    pool_.setMaxThreadCount(2);
    for (auto* job :
         {&preparing_, &preparingOther_, &largestJob_, &flameJob_, &layersJob_, &groupsJob_, &searchJob_}) {
        *job = std::make_unique<LatestJob>(pool_);
    }
    state_ = new StatePage;
    pair_ = new TimelinePair(this);
    view_ = &pair_->view();
    legend_ = new Legend;
    refreshLegend();

    auto* upper = new QWidget;
    auto* column = makeLayout<QVBoxLayout>(upper, 0);
    column->addWidget(buildTools());
    column->addWidget(pair_, 1);
    column->addWidget(legend_);
    auto* parts = new QSplitter(Qt::Vertical);
    parts->setHandleWidth(1);
    parts->addWidget(upper);
    parts->addWidget(buildTables());
    parts->setCollapsible(0, false);
    parts->setStretchFactor(0, 3);
    parts->setStretchFactor(1, 1);
    parts->setSizes({560, 240});

    pages_ = new QStackedWidget;
    pages_->addWidget(state_);
    pages_->addWidget(parts);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(pages_);
    searchSoon_.setSingleShot(true);
    searchSoon_.setInterval(150);
    tablesSoon_.setSingleShot(true);
    tablesSoon_.setInterval(120);
    connectParts();
}

QWidget* TimelinePanel::buildTools() {
    auto* strip = new QWidget;
    strip->setFixedHeight(36);
    auto* row = makeLayout<QHBoxLayout>(strip, 6, {10, 0, 8, 0});
    searchField_ = new QLineEdit;
    searchField_->setPlaceholderText(tr("find: layer, operator or > 100 MiB"));
    searchField_->setToolTip(
        tr("Words of the layer, the operator or the category, and sizes after >, >=, <, <= or =,\nsuch as "
           "“enc2 conv > 100 MiB”. F3 and Shift+F3: next and previous."));
    searchField_->setClearButtonEnabled(true);
    searchField_->setMinimumWidth(90);
    searchField_->setMaximumWidth(270);
    searchField_->setAccessibleName(tr("Find allocations"));
    previous_ = new QToolButton;
    previous_->setArrowType(Qt::UpArrow);
    previous_->setToolTip(tr("The previous one (Shift+F3)"));
    next_ = new QToolButton;
    next_->setArrowType(Qt::DownArrow);
    next_->setToolTip(tr("The next (F3)"));
    foundLabel_ = new QLabel;
    foundLabel_->setProperty("muted", true);
    note_ = new ElidedLabel;
    note_->setMuted(true);
    note_->setFont(smallFont(font()));
    note_->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    axis_ = new QComboBox;
    axis_->addItems({tr("by time"), tr("by event")});
    axis_->setToolTip(
        tr("What the axis measures. By event, each allocation and each free has the same width."));
    axis_->setAccessibleName(tr("Axis"));
    auto* peak = linkButton(tr("peak"), tr("Zoom to where the total is highest (P)"), this);
    auto* all = linkButton(tr("show all"), tr("Show all of it (Home)"), this);
    connect(peak, &QToolButton::clicked, view_, &TimelineView::zoomToPeak);
    connect(all, &QToolButton::clicked, view_, &TimelineView::showAll);
    row->addWidget(searchField_, 2);
    for (QWidget* part : {static_cast<QWidget*>(previous_), static_cast<QWidget*>(next_),
                          static_cast<QWidget*>(foundLabel_)}) {
        row->addWidget(part);
    }
    row->addWidget(note_, 3);
    for (QWidget* part :
         {static_cast<QWidget*>(peak), static_cast<QWidget*>(all), static_cast<QWidget*>(axis_)}) {
        row->addWidget(part);
    }
    return strip;
}

QWidget* TimelinePanel::buildTables() {
    largest_ = new LargestModel(this);
    largestTable_ = makeFlatTable(largest_, tr("Largest allocations"), {110, 140, 200, 200, 210, 120, 150});
    largestTable_->horizontalHeader()->setSortIndicator(LargestModel::Bytes, Qt::DescendingOrder);
    largestTable_->setSortingEnabled(true);
    largestTable_->horizontalHeader()->setSectionResizeMode(LargestModel::Label, QHeaderView::Stretch);
    layers_ = new LayersModel(this);
    layersTable_ = makeFlatTable(layers_, tr("Layers"), {220, 120, 130, 120});
    layersTable_->horizontalHeader()->setSortIndicator(0, Qt::AscendingOrder);
    layersTable_->setSortingEnabled(true);
    layersTable_->horizontalHeader()->setSectionResizeMode(0, QHeaderView::Stretch);
    flame_ = new FlameView(this);
    offerPicture(*flame_, tr("bytes-lifetime"));
    groups_ = new GroupsPage;
    stack_ = new StackPane;
    stack_->hide();
    tabs_ = new QTabWidget;
    tabs_->setDocumentMode(true);
    tabs_->setMinimumHeight(70);
    tabs_->addTab(largestTable_, tr("Largest allocations"));
    tabs_->addTab(flame_, tr("Bytes × lifetime"));
    tabs_->addTab(layersTable_, tr("Layers"));
    tabs_->addTab(groups_, tr("In use, by code"));
    auto* lower = new QSplitter(Qt::Horizontal);
    lower->setHandleWidth(1);
    lower->addWidget(tabs_);
    lower->addWidget(stack_);
    lower->setStretchFactor(0, 2);
    lower->setStretchFactor(1, 1);
    lower->setSizes({700, 380});
    return lower;
}

void TimelinePanel::connectCode() {
    for (TimelineView* view : {view_, &pair_->other()}) {
        connect(view, &TimelineView::blockSelected, this, [this, view] { showBlockStack(*view); });
    }
    connect(view_, &TimelineView::refusalClicked, this, &TimelinePanel::showRefusal);
    connect(view_, &TimelineView::momentChosen, this, [this] {
        setMoments(1);
        refreshGroups();
    });
    connect(groups_, &GroupsPage::groupingChanged, this, &TimelinePanel::refreshGroups);
    connect(groups_, &GroupsPage::momentChanged, this, &TimelinePanel::refreshGroups);
    connect(groups_, &GroupsPage::groupChosen, this, &TimelinePanel::showGroup);
}

void TimelinePanel::connectParts() {
    connectCode();
    connect(view_, &TimelineView::rangeChanged, this, &TimelinePanel::updateAxis);
    connect(view_, &TimelineView::selectionChanged, this, [this] {
        updateNote();
        setMoments(groups_->moment());
        tablesSoon_.start();
    });
    connect(view_, &TimelineView::blockSelected, this, [this] {
        const auto block = view_->selectedBlock();
        const auto& blocks = largest_->blocks();
        const auto row = block ? std::find(blocks.begin(), blocks.end(), *block) : blocks.end();
        const QSignalBlocker quiet(largestTable_->selectionModel());
        if (row == blocks.end()) {
            largestTable_->clearSelection();
        } else {
            largestTable_->selectRow(static_cast<int>(row - blocks.begin()));
        }
        largestTable_->viewport()->update();
    });
    connect(view_, &TimelineView::layerClicked, this, &TimelinePanel::pickLayer);
    connect(flame_, &FlameView::layerClicked, this, &TimelinePanel::pickLayer);
    connect(axis_, &QComboBox::activated, this,
            [this](int at) { view_->setAxis(at == 0 ? TimelineAxis::Time : TimelineAxis::Events); });
    connect(largest_, &LargestModel::sortRequested, this, [this](LargestOrder order, bool descending) {
        order_ = order;
        descending_ = descending;
        refreshLargest();
    });
    const auto goToRow = [this](const QModelIndex& at) {
        view_->zoomToBlock(largest_->blocks()[static_cast<std::size_t>(at.row())]);
    };
    connect(largestTable_, &QTableView::clicked, this, goToRow);
    connect(largestTable_, &QTableView::activated, this, goToRow);
    const auto goToLayer = [this](const QModelIndex& at) { pickLayer(layers_->row(at.row()).layer); };
    connect(layersTable_, &QTableView::clicked, this, goToLayer);
    connect(layersTable_, &QTableView::activated, this, goToLayer);
    connect(searchField_, &QLineEdit::textChanged, this, [this] { searchSoon_.start(); });
    connect(searchField_, &QLineEdit::returnPressed, this, [this] { findNext(true); });
    connect(&searchSoon_, &QTimer::timeout, this, &TimelinePanel::runSearch);
    connect(&tablesSoon_, &QTimer::timeout, this, &TimelinePanel::refreshTables);
    connect(next_, &QToolButton::clicked, this, [this] { findNext(true); });
    connect(previous_, &QToolButton::clicked, this, [this] { findNext(false); });
    const auto key = [this](const QKeySequence& keys, auto act) {
        auto* shortcut = new QShortcut(keys, this);
        shortcut->setContext(Qt::WidgetWithChildrenShortcut);
        connect(shortcut, &QShortcut::activated, this, act);
    };
    key(QKeySequence::Find, [this] { focusSearch(); });
    key(QKeySequence("F3"), [this] { findNext(true); });
    key(QKeySequence("Shift+F3"), [this] { findNext(false); });
    connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, this, &TimelinePanel::refreshLegend);
    showFound();
}

}  // namespace highwater::widgets
