#include "app/desktop/experiment/settings/augment_list.h"
#include "app/desktop/experiment/settings/settings_fields.h"
#include "app/desktop/experiment/settings/settings_values.h"
#include "app/desktop/experiment/stack/form_fields.h"
#include "core/stack/fields.h"

namespace highwater::desktop {

using stack::Backend;
using stack::Checkpointing;
using stack::Data;
using stack::Experiment;
using stack::Optimizer;
using stack::Step;
using stack::Windows;

namespace {

/// The editors for core/stack/fields.h.
template <class Part>
class SettingsForm : public FormFields<Part> {
public:
    using FormFields<Part>::FormFields;

    void seed(const char* key, std::uint64_t Part::* member, const char* help) {
        this->form().template addParsed<std::uint64_t>(
            key, help, parseSeed, [](const std::uint64_t& seed) { return QString::number(seed); },
            this->fields().get(member), this->fields().set(member));
        this->added(key);
    }
    void bytes(const char* key, std::optional<base::Bytes> Part::* member, const char* help) {
        this->form()
            .template addParsed<std::optional<base::Bytes>>(
                key, help, parseLimit, limitText, this->fields().get(member), this->fields().set(member))
            ->setPlaceholderText(QObject::tr("no limit"));
        this->added(key);
    }
    void betas(const char* key, const char* help) {
        this->form().template addParsed<Betas>(
            key, help, parseBetas, betasText,
            [](const Experiment& e) { return Betas{e.optimizer.beta1, e.optimizer.beta2}; },
            [](Experiment& e, const Betas& betas) {
                e.optimizer.beta1 = betas.first;
                e.optimizer.beta2 = betas.second;
            });
        this->added(key);
    }
    void checkpointing(const char* key, const char* help) {
        OptionForm& form = this->form();
        form.addChoice(
            key, help, wordList(stack::kCheckpointingNames),
            [](const Experiment& e) { return static_cast<int>(e.step.checkpoint.kind); },
            [](Experiment& e, const int& kind) {
                e.step.checkpoint.kind = static_cast<Checkpointing::Kind>(kind);
            });
        form.setPath("/step/checkpoint/");
        form.addInteger(
            "segments",
            QObject::tr("The number of equal parts of the top-level layers; the last one is not recomputed"),
            1, static_cast<std::int64_t>(stack::kMostLayers),
            [](const Experiment& e) { return e.step.checkpoint.segments; },
            [](Experiment& e, const std::int64_t& count) { e.step.checkpoint.segments = count; });
        form.when([](const Experiment& e) {
            return Availability{.shown = e.step.checkpoint.kind == Checkpointing::Kind::Segments};
        });
        form.setPath("/step/");
    }
    void augmentations(const char* key, std::vector<stack::Augmentation> Part::* member, const char* help) {
        OptionForm& form = this->form();
        auto* list = new AugmentList(&form);
        const auto change = this->fields().set(member);
        QObject::connect(list, &AugmentList::edited, &form,
                         [&form, change, key](const AugmentList::List& to, const QString& place) {
                             form.apply(key, [change, to](Experiment& e) { change(e, to); }, place);
                         });
        form.addEditor<AugmentList::List>(
            key, help, list, [list](const AugmentList::List& value) { list->showList(value); },
            this->fields().get(member), change,
            [](const AugmentList::List& value) {
                return value.empty() ? QString() : QString::number(value.size());
            });
        form.wide();
    }
};

template <class Part>
void addPart(OptionForm& form, const char* path, typename PartFields<Part>::Of of,
             typename FormFields<Part>::Rules rules = {}) {
    form.setPath(path);
    SettingsForm<Part> visitor(form, std::move(of), std::move(rules));
    stack::fields(visitor, Part());
}

/// A field that works on GPUs only; `why` says why it has no effect on the CPU.
std::function<void(OptionForm&)> forGpu(const SettingsDevices& here, const QString& why) {
    return [&here, why](OptionForm& form) {
        form.when([&here, why](const Experiment&) {
            return here.gpu
                       ? Availability()
                       : Availability{true, QObject::tr("needs a GPU"),
                                      QObject::tr("%1. Choose a GPU to run on or to predict for").arg(why)};
        });
    };
}

std::function<void(OptionForm&)> when(std::function<Availability(const Experiment&)> availability) {
    return [availability = std::move(availability)](OptionForm& form) { form.when(availability); };
}

}  // namespace

std::vector<SettingsSection> settingsSections(const SettingsDevices& here) {
    return {{QObject::tr("Input and target"), addInputFields},
            {QObject::tr("Loss and optimizer"), addOptimizerFields},
            {QObject::tr("Step"), [&here](OptionForm& form) { addStepFields(form, here); }},
            {QObject::tr("Data"), [&here](OptionForm& form) { addDataFields(form, here); }},
            {QObject::tr("Windows"), addWindowsFields},
            {QObject::tr("Libraries"), [&here](OptionForm& form) { addLibraryFields(form, here); }}};
}

void addOptimizerFields(OptionForm& form) {
    form.setPath("/");
    PartFields<Experiment>(form, [](const Experiment& e) { return &e; })
        .choice(
            "loss",
            QObject::tr("The loss that each step reduces. mse compares values; cross_entropy and dice "
                        "compare classes and\nneed a label target; bce and sigmoid_dice compare each channel "
                        "with labels of 0 and 1; mean is\nthe output's own mean, for timing alone"),
            wordList(stack::kLossNames), &Experiment::loss);
    form.setPath("/optimizer/");
    form.addChoice(
        "type",
        QObject::tr("The rule that updates the weights. Optimizer state per weight, in bytes of fp32:\nsgd: "
                    "0, with momentum 4; adam and adamw: 8, with amsgrad 12"),
        wordList(stack::kOptimizerNames),
        [](const Experiment& e) { return static_cast<int>(e.optimizer.kind); },
        [](Experiment& e, const int& kind) {
            e.optimizer = withKind(e.optimizer, static_cast<Optimizer::Kind>(kind));
        });
    form.defaultsFrom([](const Experiment&) { return Experiment(); });
    addPart<Optimizer>(form, "/optimizer/", [](const Experiment& e) { return &e.optimizer; });
}

void addStepFields(OptionForm& form, const SettingsDevices& here) {
    const auto offerPrecision = [&here](OptionForm& to) {
        to.offer([&here](const Experiment&, int index) {
            return index == 0 || here.gpu ? QString()
                                          : QObject::tr("for GPUs: choose one to run on or to predict for");
        });
    };
    addPart<Step>(form, "/step/", [](const Experiment& e) { return &e.step; },
                  {{"precision", offerPrecision},
                   {"channels_last", forGpu(here, QObject::tr("The CPU supports only the usual layout"))},
                   {"soft_targets", when([](const Experiment& e) {
                        return Availability{.shown = e.step.softTargets || stack::wantsClasses(e.loss)};
                    })}});
}

void addDataFields(OptionForm& form, const SettingsDevices& here) {
    addPart<Data>(form, "/data/", [](const Experiment& e) { return &e.data; },
                  {{"pinned", forGpu(here, QObject::tr("The CPU copies nothing to a device"))}});
}

void addWindowsFields(OptionForm& form) {
    form.setPath("/");
    form.addToggle(
        "windows",
        QObject::tr(
            "The network sees the data window by window: its memory is bounded by the window. In inference\n"
            "(train: no) overlapping results are blended"),
        [](const Experiment& e) { return e.windows.has_value(); },
        [](Experiment& e, const bool& on) { setWindows(e, on); });
    form.defaultsFrom([](const Experiment&) { return Experiment(); });
    const auto withWindows =
        when([](const Experiment& e) { return Availability{.shown = e.windows.has_value()}; });
    addPart<Windows>(form, "/windows/", [](const Experiment& e) { return e.windows ? &*e.windows : nullptr; },
                     {{"size", withWindows}, {"overlap", withWindows}, {"blend", withWindows}});
}

void addLibraryFields(OptionForm& form, const SettingsDevices& here) {
    const auto onCpu = when([&here](const Experiment&) {
        return here.cpu ? Availability()
                        : Availability{true, QObject::tr("needs the CPU"),
                                       QObject::tr("oneDNN computes on the CPU. Choose it to run on")};
    });
    const auto allocator = [&here](OptionForm& to) {
        forGpu(here, QObject::tr("It configures the GPU allocator; the CPU's has no options"))(to);
        to.wide();
    };
    addPart<Backend>(
        form, "/backend/", [](const Experiment& e) { return &e.backend; },
        {{"onednn", onCpu},
         {"cudnn", forGpu(here, QObject::tr("cuDNN computes on GPUs; for the CPU use the oneDNN switch"))},
         {"benchmark",
          forGpu(here,
                 QObject::tr("cuDNN computes on GPUs; it has no algorithms to choose from on the CPU"))},
         {"tf32", forGpu(here, QObject::tr("TF32 is a number format of GPUs"))},
         {"workspace_limit", forGpu(here, QObject::tr("It caps cuDNN, which computes on GPUs"))},
         {"alloc_conf", allocator}});
}

}  // namespace highwater::desktop
