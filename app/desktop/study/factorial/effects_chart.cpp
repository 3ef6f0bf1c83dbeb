#include "app/desktop/study/factorial/effects_chart.h"

#include <QObject>

#include "app/desktop/study/study_words.h"
#include "widgets/theme/theme.h"

namespace highwater::desktop {

namespace {

double percent(double ratio) {
    return (ratio - 1) * 100;
}

IntervalBar barOf(const EffectRow& effect, const base::Interval& ratio, bool differs) {
    IntervalBar bar;
    bar.label = effect.name;
    if (ratio.n == 0) {
        bar.text = QObject::tr("not known");
        bar.faded = true;
        return bar;
    }
    bar.value = {percent(ratio.median), percent(ratio.low), percent(ratio.high), ratio.n};
    bar.faded = !differs;
    bar.color = effect.interaction ? widgets::theme().accent
                : ratio.median < 1 ? widgets::theme().good
                                   : widgets::theme().bad;
    const QString spread = changeSpread(ratio);
    const QString change = changeText(ratio.median);
    const bool none = !differs && ratio.median == 1 && spread.isEmpty();
    bar.text = none ? QObject::tr("no change") : differs ? change : QObject::tr("within the noise");
    if (!spread.isEmpty()) {
        bar.text += " (" + spread + ")";
    }
    bar.tip = effect.name + ": " +
              (none ? bar.text : change + (spread.isEmpty() ? "" : " (" + spread + ")")) +
              (differs || none ? "" : QObject::tr(", within the noise"));
    return bar;
}

}  // namespace

std::vector<IntervalSection> effectSections(const std::vector<EffectRow>& effects) {
    std::vector<IntervalSection> sections = {
        {QObject::tr("Memory, each alone"), "%", {}},
        {QObject::tr("Time, each alone"), "%", {}},
        {QObject::tr("Memory, two together: beyond what each does alone"), "%", {}},
        {QObject::tr("Time, two together: beyond what each does alone"), "%", {}}};
    for (const EffectRow& effect : effects) {
        const std::size_t first = effect.interaction ? 2 : 0;
        sections[first].bars.push_back(barOf(effect, effect.memory, effect.memoryDiffers));
        sections[first + 1].bars.push_back(barOf(effect, effect.time, effect.timeDiffers));
    }
    return sections;
}

}  // namespace highwater::desktop
