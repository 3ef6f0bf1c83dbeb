#include "widgets/settings/settings_fields.h"
#include "widgets/settings/settings_values.h"
#include "widgets/stack/part_fields.h"

namespace highwater::widgets {

namespace {

using stack::Experiment;
using stack::Optimizer;

Availability ofSgd(const Experiment& e) {
    return {.shown = e.optimizer.kind == Optimizer::Kind::Sgd};
}
Availability ofAdam(const Experiment& e) {
    return {.shown = e.optimizer.kind != Optimizer::Kind::Sgd};
}

void addOptimizerKind(OptionForm& form) {
    form.addChoice(
        "type",
        "How weights follow their gradients. What it keeps for each weight, in bytes of fp32:\n"
        "sgd: 0, with momentum 4; adam and adamw: 8, with amsgrad 12",
        {"sgd", "adam", "adamw"}, [](const Experiment& e) { return static_cast<int>(e.optimizer.kind); },
        [](Experiment& e, const int& kind) {
            e.optimizer = withKind(e.optimizer, static_cast<Optimizer::Kind>(kind));
        });
    form.defaultsFrom([](const Experiment&) { return Experiment(); });
}

void addMoments(OptionForm& form, PartFields<Optimizer>& f) {
    f.number("momentum",
             "How much of the last update is carried into the next. Above 0 it keeps 4 bytes per weight", 0,
             1, &Optimizer::momentum);
    form.when(ofSgd);
    f.toggle("nesterov", "Looks ahead along the momentum; needs a momentum above 0", &Optimizer::nesterov);
    form.when(ofSgd);
    form.addParsed<Betas>(
        "betas", "How slowly the running means of gradients and of their squares follow: two numbers below 1",
        parseBetas, betasText,
        [](const Experiment& e) { return Betas{e.optimizer.beta1, e.optimizer.beta2}; },
        [](Experiment& e, const Betas& betas) {
            e.optimizer.beta1 = betas.first;
            e.optimizer.beta2 = betas.second;
        });
    form.when(ofAdam);
    f.number("eps", "Added to the denominator, so that nothing is divided by zero", 0, 1, &Optimizer::eps);
    form.when(ofAdam);
}

}  // namespace

void addOptimizerFields(OptionForm& form) {
    PartFields<Experiment> whole(form, [](const Experiment& e) { return &e; });
    form.setPath("/");
    whole.choice(
        "loss",
        "The loss that each step reduces. mse compares values; cross_entropy and dice compare classes and\n"
        "need a label target; bce and sigmoid_dice compare each channel with labels of 0 and 1; mean is\n"
        "the output's own mean, for timing alone",
        {"mse", "cross_entropy", "dice", "dice_cross_entropy", "bce", "sigmoid_dice", "sigmoid_dice_bce",
         "mean"},
        &Experiment::loss);
    form.setPath("/optimizer/");
    PartFields<Optimizer> f(form, [](const Experiment& e) { return &e.optimizer; });
    addOptimizerKind(form);
    f.number("lr", "The learning rate: how far a step goes. Costs nothing", 0, 1e9, &Optimizer::lr);
    f.number(
        "weight_decay",
        "Pulls weights towards zero. Above 0, sgd and adam make one more temporary tensor for each weight", 0,
        1e9, &Optimizer::weightDecay);
    addMoments(form, f);
    f.toggle("amsgrad", "Keeps the largest of the squares' means as well: 4 more bytes a weight",
             &Optimizer::amsgrad);
    form.when(ofAdam);
    f.toggle("foreach",
             "Updates all parameters together, as torch.optim does by default on a GPU: faster, and the "
             "temporaries of\nall of them are alive at once. Off: one after the other",
             &Optimizer::foreach);
}

}  // namespace highwater::widgets
