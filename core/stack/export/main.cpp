#include <fmt/format.h>

#include "core/stack/export/parts.h"
#include "core/stack/export/python_text.h"
#include "texts/stack_texts.h"

namespace highwater::stack::python {

namespace {

std::string optimizerLine(const Optimizer& o) {
    constexpr const char* kNames[] = {"torch.optim.SGD", "torch.optim.Adam", "torch.optim.AdamW"};
    const bool sgd = o.kind == Optimizer::Kind::Sgd;
    std::vector<std::string> a = {"model.parameters()", "lr=" + literal(o.lr)};
    if (sgd && o.momentum != 0) {
        a.push_back("momentum=" + literal(o.momentum));
    }
    if (sgd && o.nesterov) {
        a.emplace_back("nesterov=True");
    }
    if (!sgd && (o.beta1 != 0.9 || o.beta2 != 0.999)) {
        a.push_back(fmt::format("betas=({}, {})", literal(o.beta1), literal(o.beta2)));
    }
    if (!sgd && o.eps != 1e-8) {
        a.push_back("eps=" + literal(o.eps));
    }
    if (o.weightDecay != makeOptimizer(o.kind).weightDecay) {
        a.push_back("weight_decay=" + literal(o.weightDecay));
    }
    if (!sgd && o.amsgrad) {
        a.emplace_back("amsgrad=True");
    }
    a.emplace_back(o.foreach ? "foreach=True" : "foreach=False");
    return call(4, std::string("optimizer = ") + kNames[static_cast<int>(o.kind)], a);
}

bool trains(const Experiment& e, const StackInfo& info) {
    return e.step.train && info.parameters > 0;
}

std::string switches(const Experiment& e) {
    const Backend& b = e.backend;
    const bool tf32 = b.tf32 || e.step.precision == Precision::Tf32;
    std::string text;
    if (b.threads > 0) {
        text += fmt::format("    torch.set_num_threads({})\n", b.threads);
    }
    if (!b.onednn) {
        text += "    torch.backends.mkldnn.set_flags(False)\n";
    }
    if (!b.cudnn) {
        text += "    torch.backends.cudnn.enabled = False\n";
    }
    if (b.benchmark) {
        text += "    torch.backends.cudnn.benchmark = True\n";
    }
    if (b.deterministic) {
        text +=
            "    torch.backends.cudnn.deterministic = True\n"
            "    torch.use_deterministic_algorithms(True, warn_only=True)\n";
    }
    if (tf32) {
        text += "    torch.backends.cuda.matmul.allow_tf32 = True\n";
    }
    return text + fmt::format("    torch.backends.cudnn.allow_tf32 = {}\n", literal(tf32));
}

std::string modelLines(const Experiment& e, const StackInfo& info) {
    std::string line = "Network()";
    if (e.step.channelsLast && info.data.size() > 3) {
        line += info.data.size() == 4 ? ".to(memory_format=torch.channels_last)"
                                      : ".to(memory_format=torch.channels_last_3d)";
    }
    if (isTrueHalf(e.step.precision)) {
        line += e.step.precision == Precision::Fp16True ? ".half()" : ".bfloat16()";
    }
    line = "    model = " + line + ".to(device)\n";
    return line + (e.step.train ? "" : "    model.eval()\n");
}

std::string stepLines(const Experiment& e, const StackInfo& info) {
    const std::string data = hasTarget(e) ? "x, target" : "x";
    if (trains(e, info)) {
        const char* scaler = e.step.precision == Precision::Fp16 ? "scaler, " : "";
        return fmt::format("        print(train_step(model, optimizer, {}{}), flush=True)\n", scaler, data);
    }
    if (e.windows && !e.step.train) {
        return fmt::format("        _, loss = predict(model, {})\n        print(loss, flush=True)\n", data);
    }
    return fmt::format("        print(evaluate(model, {}), flush=True)\n", data);
}

}  // namespace

std::string mainFunctions(const Experiment& e, const StackInfo& info) {
    std::string text = "def run(steps, device):\n";
    text += trains(e, info) ? "    \"\"\"Trains, printing each step's loss.\"\"\"\n"
                            : "    \"\"\"Prints each batch's loss.\"\"\"\n";
    text += switches(e);
    text += "    torch.manual_seed(SEED)\n" + modelLines(e, info);
    if (trains(e, info)) {
        text += optimizerLine(e.optimizer);
        if (e.step.precision == Precision::Fp16) {
            text += "    scaler = GradScaler(enabled=device.type == \"cuda\")\n";
        }
    }
    text += hasTarget(e) ? "    for _, (x, target) in zip(range(steps), batches(device)):\n"
                         : "    for _, x in zip(range(steps), batches(device)):\n";
    return text + stepLines(e, info) + "\n\n" + std::string(texts::main);
}

}  // namespace highwater::stack::python
