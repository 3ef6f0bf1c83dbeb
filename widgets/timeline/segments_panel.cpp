#include "widgets/timeline/segments_panel.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QSplitter>
#include <QToolButton>
#include <QVBoxLayout>
#include <unordered_map>

#include "widgets/plot/legend.h"
#include "widgets/plot/memory_scene.h"
#include "widgets/plot/plot_menu.h"
#include "widgets/theme/panel.h"
#include "widgets/theme/theme.h"
#include "widgets/timeline/groups_page.h"
#include "widgets/timeline/segment_map_view.h"
#include "widgets/timeline/stack_pane.h"
#include "widgets/timeline/timeline_words.h"

namespace highwater::widgets {

namespace {

std::vector<GroupDifference> groupsIn(const SegmentMap& map, Grouping grouping) {
    std::unordered_map<std::int32_t, HeldBytes> byStack;
    for (const MapBlock& block : map.blocks) {
        if (block.state != MapBlock::State::Allocated) {
            continue;
        }
        HeldBytes& held = byStack[block.stack];
        held.stack = block.stack;
        held.bytes += block.size;
        ++held.blocks;
    }
    std::vector<HeldBytes> held;
    for (const auto& each : byStack) {
        held.push_back(each.second);
    }
    std::ranges::sort(held, {}, &HeldBytes::stack);
    std::vector<GroupDifference> rows;
    for (StackGroup& group : groupsOf(map.stacks.get(), {}, held, grouping)) {
        rows.push_back({std::move(group), {}});
    }
    return rows;
}

}  // namespace

SegmentsPanel::SegmentsPanel(QWidget* parent) : QWidget(parent), job_(pool_) {
    pool_.setMaxThreadCount(1);
    view_ = new SegmentMapView(this);
    offerPicture(*view_, tr("segments"));
    groups_ = new GroupsPage;
    stack_ = new StackPane;
    stack_->setHint(tr("Click a block to see the code that allocated it."));
    legend_ = new Legend;
    auto* upper = new QWidget;
    auto* column = makeLayout<QVBoxLayout>(upper, 0);
    column->addWidget(buildTools());
    column->addWidget(view_, 1);
    column->addWidget(legend_);
    auto* lower = new QSplitter(Qt::Horizontal);
    lower->setHandleWidth(1);
    lower->addWidget(groups_);
    lower->addWidget(stack_);
    lower->setStretchFactor(0, 3);
    lower->setStretchFactor(1, 2);
    auto* parts = new QSplitter(Qt::Vertical);
    parts->setHandleWidth(1);
    parts->addWidget(upper);
    parts->addWidget(lower);
    parts->setCollapsible(0, false);
    parts->setStretchFactor(0, 3);
    parts->setStretchFactor(1, 1);
    parts->setSizes({560, 240});
    auto* layout = makeLayout<QVBoxLayout>(this, 0);
    layout->addWidget(parts);
    connect(view_, &SegmentMapView::blockSelected, this, &SegmentsPanel::showBlock);
    connect(groups_, &GroupsPage::groupingChanged, this, &SegmentsPanel::refreshGroups);
    connect(groups_, &GroupsPage::groupChosen, this, [this](const GroupDifference& group) {
        const QString name = group.name().empty() ? tr("unknown code") : QString::fromStdString(group.name());
        stack_->showStack(
            name,
            tr("%1 in use in %2 allocations").arg(bytesText(group.here.bytes), countText(group.here.blocks)),
            map_->stacks.get(), group.here.stack);
    });
    connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, this, &SegmentsPanel::refreshLegend);
}

SegmentsPanel::~SegmentsPanel() {
    job_.cancel();
    pool_.clear();
    pool_.waitForDone();
}

QWidget* SegmentsPanel::buildTools() {
    auto* strip = new QWidget;
    strip->setFixedHeight(36);
    auto* row = makeLayout<QHBoxLayout>(strip, 6, {10, 0, 8, 0});
    summary_ = new ElidedLabel;
    moment_ = new QComboBox;
    moment_->setAccessibleName(tr("Moment"));
    moment_->setToolTip(tr("When: the segments are computed from what was recorded afterwards"));
    moment_->hide();
    connect(moment_, &QComboBox::currentIndexChanged, this, &SegmentsPanel::momentChosen);
    order_ = new QComboBox;
    order_->addItems({tr("largest first"), tr("most free first"), tr("by address")});
    order_->setAccessibleName(tr("Order of the segments"));
    width_ = new QComboBox;
    width_->addItems({tr("one scale for all"), tr("each at full width")});
    width_->setToolTip(tr("Whether the width of a segment shows its size"));
    width_->setAccessibleName(tr("Width of the segments"));
    auto* all = linkButton(tr("show all"), tr("Show all of it (Home)"), this);
    connect(order_, &QComboBox::currentIndexChanged, this,
            [this](int at) { view_->setOrder(static_cast<SegmentOrder>(at)); });
    connect(width_, &QComboBox::currentIndexChanged, this, [this](int at) { view_->setFullWidth(at == 1); });
    connect(all, &QToolButton::clicked, view_, &SegmentMapView::showAll);
    row->addWidget(summary_, 1);
    row->addWidget(all);
    row->addWidget(moment_);
    row->addWidget(order_);
    row->addWidget(width_);
    return strip;
}

void SegmentsPanel::setMoments(const QStringList& moments, int current) {
    const QSignalBlocker quiet(moment_);
    moment_->clear();
    moment_->addItems(moments);
    moment_->setCurrentIndex(current);
    moment_->setVisible(moments.size() > 1);
}

int SegmentsPanel::moment() const {
    return std::max(0, moment_->currentIndex());
}

void SegmentsPanel::setMoment(int moment) {
    moment_->setCurrentIndex(moment);
}

void SegmentsPanel::setMap(std::shared_ptr<const SegmentMap> map, const QString& when) {
    map_ = std::move(map);
    when_ = when;
    view_->setMap(map_);
    summary_->setText(map_ ? mapSummary(*map_) : QString());
    stack_->clear();
    groups_->setGroupingOffered(map_ && map_->stacks);
    refreshLegend();
    refreshGroups();
}

QString SegmentsPanel::summary() const {
    return summary_->text();
}

void SegmentsPanel::refreshLegend() {
    legend_->setEntries(map_ ? mapLegend(*map_) : std::vector<SeriesStyle>());
}

void SegmentsPanel::refreshGroups() {
    if (!map_) {
        job_.cancel();
        groups_->setGroups({}, {});
        return;
    }
    job_.run([map = map_, by = groups_->grouping()](const auto&) { return groupsIn(*map, by); },
             [this](std::vector<GroupDifference> rows) {
                 groups_->setNote(
                     map_->stacks ? tr("in use %1").arg(when_)
                                  : tr("in use %1; the file has no call stacks to tell by whom").arg(when_));
                 groups_->setGroups(std::move(rows), {});
             });
}

void SegmentsPanel::showBlock() {
    const auto block = view_->selectedBlock();
    if (!block || !map_) {
        stack_->clear();
        return;
    }
    const MapBlock& each = map_->blocks[*block];
    const bool free = each.state == MapBlock::State::Free;
    stack_->showStack(blockTitle(each), blockNote(*map_, *block), free ? nullptr : map_->stacks.get(),
                      each.stack);
}

}  // namespace highwater::widgets

#include "moc_segments_panel.cpp"
