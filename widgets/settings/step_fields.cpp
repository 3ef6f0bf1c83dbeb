#include "widgets/settings/settings_fields.h"
#include "widgets/settings/settings_values.h"
#include "widgets/stack/part_fields.h"
#include "widgets/stack/sizes_text.h"

namespace highwater::widgets {

using stack::Experiment;
using stack::Step;

namespace {

void addPrecision(PartFields<Step>& f, const SettingsDevices& here) {
    f.choice("precision",
             "The number format of activations. bf16 and fp16: half the activations' memory, weights\n"
             "stay fp32 (autocast); fp16 scales the loss. tf32: fp32's memory, faster products.\n"
             "bf16_true and fp16_true: weights, gradients and the optimizer's state too (model.half())",
             precisionWords(), &Step::precision);
    f.form().offer([&here](const Experiment&, int index) {
        return index == 0 || here.gpu ? QString() : "for GPUs: choose one to run on or to predict for";
    });
}

void addCheckpointing(OptionForm& form) {
    form.addChoice(
        "checkpoint",
        "Which parts keep only their input and are computed again in the backward pass: less memory,\n"
        "up to a third more time, the same gradients. blocks: those marked checkpoint; sqrt: as many\n"
        "equal segments as the root of the number of layers; segments: a given number; plan: the parts that\n"
        "Make it fit has chosen",
        {"blocks", "none", "sqrt", "segments", "plan"},
        [](const Experiment& e) { return static_cast<int>(e.step.checkpoint.kind); },
        [](Experiment& e, const int& kind) {
            e.step.checkpoint.kind = static_cast<stack::Checkpointing::Kind>(kind);
        });
    form.setPath("/step/checkpoint/");
    form.addInteger(
        "segments", "The number of equal parts of the top-level layers; the last one is not computed again",
        1, 4000, [](const Experiment& e) { return e.step.checkpoint.segments; },
        [](Experiment& e, const std::int64_t& count) { e.step.checkpoint.segments = count; });
    form.when([](const Experiment& e) {
        return Availability{.shown = e.step.checkpoint.kind == stack::Checkpointing::Kind::Segments};
    });
    form.setPath("/step/");
}

}  // namespace

Availability onGpu(const SettingsDevices& here, const QString& why) {
    return here.gpu ? Availability()
                    : Availability{true, "needs a GPU", why + ". Choose a GPU to run on or to predict for"};
}

void addStepFields(OptionForm& form, const SettingsDevices& here) {
    form.setPath("/step/");
    PartFields<Step> f(form, [](const Experiment& e) { return &e.step; });
    f.integer("batch_size", "Samples a step. Activation memory grows with it", 1, 1'000'000,
              &Step::batchSize);
    f.integer("micro_batches",
              "Splits the batch into this many parts, computed one after the other; their gradients are "
              "summed before\nthe optimizer's step. Only one part's activations exist at a time. It must "
              "divide batch_size",
              1, 1'000'000, &Step::microBatches);
    addPrecision(f, here);
    f.toggle("channels_last",
             "Stores the channels of a voxel next to each other: faster on tensor cores, but some layers "
             "make copies",
             &Step::channelsLast);
    form.when([&here](const Experiment&) { return onGpu(here, "The CPU supports only the usual layout"); });
    addCheckpointing(form);
    f.toggle("train", "Forward, backward and optimizer. Off: forward alone, which keeps no activations",
             &Step::train);
    f.toggle(
        "keep_output",
        "The network's outputs stay alive until backward has ended, as in a Python loop that has them in "
        "a\nvariable (output = model(x)). On for imported nnU-Net plans",
        &Step::keepOutput);
    f.toggle("keep_gradients",
             "Gradients are set to zero after a step and stay allocated: zero_grad(set_to_none=False). Off: "
             "they are freed",
             &Step::keepGradients);
    f.number("clip_gradients",
             "The largest norm of all gradients together; larger ones are scaled down before the update, as\n"
             "clip_grad_norm_ does. 0: not clipped. 12 for imported nnU-Net plans",
             0, 1e9, &Step::clipGradients);
    f.toggle(
        "soft_targets",
        "The loss compares with a probability for each class instead of class numbers, as with mixup or\n"
        "distillation: a tensor more of the output's size, and larger ones in the loss",
        &Step::softTargets);
    form.when([](const Experiment& e) {
        return Availability{.shown = e.step.softTargets || stack::wantsClasses(e.loss)};
    });
    form.addParsed<std::uint64_t>(
        "seed", "Weights, patches, augmentation and dropout are drawn from it: the same seed, the same run",
        parseSeed, [](const std::uint64_t& seed) { return QString::number(seed); }, f.get(&Step::seed),
        f.set(&Step::seed));
}

}  // namespace highwater::widgets
