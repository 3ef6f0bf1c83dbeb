#include <QTabWidget>

#include "widgets/timeline/groups_page.h"
#include "widgets/timeline/stack_pane.h"
#include "widgets/timeline/timeline_panel.h"
#include "widgets/timeline/timeline_view.h"
#include "widgets/timeline/timeline_words.h"

/// Memory in use by the code that allocated it, and the call stacks of selected blocks and groups.
namespace highwater::widgets {

/// The first moment is the peak, or the selection's peak if there is a selection; a comparison has only the
/// peaks.
void TimelinePanel::setMoments(int current) {
    QStringList moments = {view_->selection() ? tr("at the peak of the selection") : tr("at the peak")};
    if (otherIndex_) {
        moments = {tr("at both peaks")};
    } else if (view_->moment()) {
        moments << tr("where you clicked");
    }
    groups_->setMoments(moments, std::min(current, static_cast<int>(moments.size()) - 1));
}

std::size_t TimelinePanel::momentState() const {
    if (!otherIndex_ && groups_->moment() == 1 && view_->moment()) {
        return *view_->moment();
    }
    const StateRange range = otherIndex_ ? allStates(*index_) : view_->selectedStates();
    return index_->totals().of(range.first, range.last).highest;
}

void TimelinePanel::refreshGroups() {
    if (!index_) {
        return;
    }
    const std::size_t state = momentState();
    groups_->setNote(
        otherIndex_ ? tr("in use at the peaks: %1 and %2")
                          .arg(bytesText(index_->totals()[state]),
                               bytesText(otherIndex_->totals()[otherIndex_->peakState()]))
                    : tr("%1 in use, %2").arg(bytesText(index_->totals()[state]), whenText(*index_, state)));
    groupsJob_->run(
        [index = index_, other = otherIndex_, state, by = groups_->grouping()](const auto&) {
            return other ? compareGroups(*index, state, *other, other->peakState(), by)
                         : groupsAt(*index, state, by);
        },
        [this, index = index_, other = otherIndex_](std::vector<GroupDifference> rows) {
            const QString name = QString::fromStdString(index->trace().title);
            const QString otherName = other ? QString::fromStdString(other->trace().title) : QString();
            groups_->setGroups(std::move(rows), name, otherName);
            tabs_->setTabText(
                tabs_->indexOf(groups_),
                other ? tr("By code, against %1").arg(shortName(otherName)) : tr("In use, by code"));
        });
}

void TimelinePanel::showBlockStack(const TimelineView& view) {
    const auto block = view.selectedBlock();
    const TraceIndex* index = view.index();
    if (!block || !index) {
        stack_->clear();
        return;
    }
    const BlockLife& life = index->life(*block);
    const QString title =
        bytesText(index->bytes(*block)) + QStringLiteral(" · ") + categoryText(*index, *block);
    const QString note = life.begin == 0 ? tr("allocated before the recording")
                                         : tr("allocated at %1").arg(whenText(*index, life.begin));
    stack_->showStack(title, note, index->trace().stacks.get(), index->trace().blocks[*block].stack);
}

void TimelinePanel::showGroup(const GroupDifference& group) {
    const bool here = group.here.blocks > 0;
    const StackGroup& shown = here ? group.here : group.other;
    const memory::Trace& trace = here ? index_->trace() : otherIndex_->trace();
    stack_->showStack(QString::fromStdString(group.name()),
                      tr("%1 in use in %2 allocations; most of it from this call stack")
                          .arg(bytesText(shown.bytes), countText(shown.blocks)),
                      trace.stacks.get(), shown.stack);
}

void TimelinePanel::showRefusal(int number) {
    const memory::TraceRefusal& refusal = index_->trace().refusals[static_cast<std::size_t>(number)];
    stack_->showStack(tr("Out of memory: %1 requested").arg(bytesText(refusal.asked)),
                      refusal.free < 0 ? whenText(*index_, refusal.event)
                                       : tr("%1 were free on the device · %2")
                                             .arg(bytesText(refusal.free), whenText(*index_, refusal.event)),
                      index_->trace().stacks.get(), refusal.stack);
}

}  // namespace highwater::widgets
