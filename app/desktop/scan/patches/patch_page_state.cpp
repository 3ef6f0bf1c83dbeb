#include <algorithm>

#include "app/desktop/scan/patches/patch_page.h"
#include "app/desktop/scan/patches/patch_words.h"

/// The state of the patch page's bar.
namespace highwater::desktop {

namespace {

QString targetName(const stack::Target& target) {
    return target.kind == stack::Target::Kind::Classes ? PatchPage::tr("Random labels")
                                                       : PatchPage::tr("Labels");
}

QString takenAt(std::int64_t theCase, std::int64_t cases, const QString& place) {
    return cases > 1 ? PatchPage::tr("Taken at case %1 · %2").arg(theCase + 1).arg(place)
                     : PatchPage::tr("Taken at %1").arg(place);
}

/// Flips and rotations change the anatomy, but not the letters at the views' edges.
QString lettersNote() {
    return " · " + PatchPage::tr("letters refer to the scan");
}

}  // namespace

PatchesState PatchPage::patchesState() const {
    PatchesState state;
    state.live = followsRun_;
    state.canLive = running_ || live_.any();
    state.frozen = live_.frozen();
    state.targetOn = targetOn_;
    state.placeable = place().has_value();
    followsRun_ ? describeLive(state) : describeChosen(state);
    return state;
}

void PatchPage::describeChosen(PatchesState& state) const {
    const bool waits = later_.isActive() && mode_ == PatchMode::Patches;
    const bool before = chosen_ && set_.patches().empty();  // the patch is of the previous experiment
    state.count = static_cast<int>(set_.patches().size());
    state.shown = index_;
    state.mayAskMore = set_.mayAskMore();
    state.work.trouble = chosen_ && set_.trouble().isEmpty() ? chosen_->trouble : set_.trouble();
    if (!whyNone_.isEmpty()) {
        state.work.trouble = whyNone_;
    }
    if (set_.busy()) {
        state.work.what = tr("The engine makes %1 patches: %2").arg(set_.asked()).arg(set_.done());
        state.work.fraction = set_.done() > 0 ? static_cast<double>(set_.done()) / set_.asked() : -1;
    } else if (const QString what = reading(); !what.isEmpty()) {
        state.work.what = what;
    } else if (waits) {
        state.work.what = tr("New patches follow when you stop editing");
    }
    if (!chosen_) {
        return;
    }
    const stack::Experiment& experiment = document_.experiment();
    const std::int64_t batch = std::max<std::int64_t>(experiment.step.batchSize, 1);
    const wire::SentPatch& patch = chosen_->patch;
    if (before || waits) {
        state.origin = tr("From before the last edit");
        state.placeable = false;
        return;
    }
    state.origin = tr("Current experiment · sample %1 of a run, in step %2")
                       .arg(patch.number + 1)
                       .arg(patch.number / batch + 1);
    for (std::size_t c = 0; c < patch.channels.size(); ++c) {
        state.channels << tr("Channel %1").arg(c + 1);
    }
    state.channel = channel_;
    state.hasTarget = !patch.target.empty();
    state.targetName = targetName(experiment.target);
    state.done = tr("Augmentation: %1").arg(doneText(patch.augmentations, !experiment.data.augment.empty()));
    state.place = takenAt(patch.theCase, shownCase().cases, placeText(patch.start, patch.extent));
    if (!patch.augmentations.empty()) {
        state.place += lettersNote();
    }
}

void PatchPage::describeLive(PatchesState& state) const {
    const auto& live = live_.shown();
    state.work.trouble = live_.trouble();
    if (!live) {
        state.origin = running_ ? tr("The run · no patch received yet") : tr("No run has sent a patch yet");
        return;
    }
    state.count = 1;
    state.origin = tr("The run · sample %1, in step %2 · %3")
                       .arg(live->patch.sample + 1)
                       .arg(live->patch.step + 1)
                       .arg(live_.frozen() ? tr("frozen")
                            : running_     ? tr("live")
                                           : tr("the run has ended"));
    state.done = tr("First channel, as the network received it");
    if (live->patch.start.size() == 3) {
        state.place = takenAt(live->patch.theCase, shownCase().cases,
                              placeText({live->patch.start[0], live->patch.start[1], live->patch.start[2]},
                                        live->volume.geometry().size));
    }
    if (!state.place.isEmpty() && !ran_.data.augment.empty()) {
        state.place += lettersNote();
    }
}

CoverageState PatchPage::coverageState() const {
    CoverageState state = map_;
    state.steps = steps_;
    state.batch = std::max<std::int64_t>(document_.experiment().step.batchSize, 1);
    state.work.trouble = whyNone_.isEmpty() ? maps_.trouble() : whyNone_;
    if (maps_.busy() || (later_.isActive() && mode_ == PatchMode::Coverage)) {
        state.work.what = tr("Counting the positions of %1 samples").arg(grouped(state.batch * steps_));
    }
    state.drawn = map_.drawn && !heat_.empty();
    return state;
}

}  // namespace highwater::desktop
