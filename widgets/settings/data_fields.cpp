#include "widgets/settings/augment_list.h"
#include "widgets/settings/settings_fields.h"
#include "widgets/stack/part_fields.h"

namespace highwater::widgets {

using stack::Data;
using stack::Experiment;

void addDataFields(OptionForm& form, const SettingsDevices& here) {
    form.setPath("/data/");
    PartFields<Data> f(form, [](const Experiment& e) { return &e.data; });
    f.integer(
        "workers",
        "Threads that cut and augment patches while the step computes. 0: the training thread does it,\n"
        "and each step waits for it",
        0, 1024, &Data::workers);
    f.integer("prefetch", "Patches that each worker keeps ready. Each takes the memory of one patch", 1, 1024,
              &Data::prefetch);
    f.toggle("pinned", "Batches lie in memory that the GPU reads directly: copies overlap with computing",
             &Data::pinned);
    form.when([&here](const Experiment&) { return onGpu(here, "The CPU copies nothing to a device"); });
    f.number("read_delay_ms", "A wait before each patch, in ms: simulates a slow disk", 0, 60'000,
             &Data::readDelayMs);
    auto* list = new AugmentList(&form);
    QObject::connect(
        list, &AugmentList::edited, &form,
        [&form, change = f.set(&Data::augment)](const AugmentList::List& to, const QString& key) {
            form.apply("augment", [change, to](Experiment& e) { change(e, to); }, key);
        });
    form.addEditor<AugmentList::List>(
        "augment",
        "Random changes that each patch goes through, in this order: name, probability p, amount.\n"
        "They cost the workers' time, not the device's memory",
        list, [list](const AugmentList::List& value) { list->showList(value); }, f.get(&Data::augment),
        f.set(&Data::augment),
        [](const AugmentList::List& value) {
            return value.empty() ? QString() : QString::number(value.size());
        });
    form.wide();
}

}  // namespace highwater::widgets
