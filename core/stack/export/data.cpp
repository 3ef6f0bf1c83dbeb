#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/stack/data_plan.h"
#include "core/stack/export/data.h"
#include "core/stack/export/parts.h"
#include "core/stack/export/python_text.h"

namespace highwater::stack::python {

namespace {

bool wantsClasses(const StackInfo& info) {
    return info.targetClasses > 0;
}

std::string shapeText(const Shape& shape) {
    return fmt::format("({}{})", fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
}

std::string memoryFormat(const Experiment& e, const StackInfo& info) {
    if (!e.step.channelsLast || info.data.size() < 4) {
        return {};
    }
    return info.data.size() == 4 ? ", memory_format=torch.channels_last"
                                 : ", memory_format=torch.channels_last_3d";
}

std::string describe(const Experiment& e, const char* what) {
    std::string text = fmt::format("def batches(device):\n    \"\"\"{} without end", what);
    if (!hasTarget(e)) {
        return text + ".\"\"\"\n";
    }
    constexpr const char* kTargets[] = {"which are their own target", "labeled by a threshold", "with labels",
                                        "with random labels"};
    return text + fmt::format(", {}.\"\"\"\n", kTargets[static_cast<int>(e.target.kind)]);
}

std::string emptyTarget(const StackInfo& info) {
    return fmt::format("    target = torch.empty({}, {}device=device)\n", shapeText(targetShape(info)),
                       wantsClasses(info) ? "dtype=torch.int64, " : "");
}

/// Draws labels into `target`; on a GPU with the GPU's generator.
std::string drawLabels(const Experiment& e, const StackInfo& info, const char* generator) {
    const std::int64_t count = wantsClasses(info) ? info.targetClasses : e.target.classes;
    return fmt::format(
        "        if device.type == \"cuda\":\n"
        "            target.random_(0, {0}, generator={1})\n"
        "        else:\n"
        "            numbers = torch.from_numpy(labels.below({0}, target.numel()))\n"
        "            target.copy_(numbers.view_as(target))\n",
        count, generator);
}

/// augmented(sample, random): one sample of noise.
std::string augmentedNoise(const Experiment& e, bool threshold) {
    std::string text = "\n\ndef augmented(sample, random):\n";
    text += threshold
                ? "    \"\"\"A sample (channels, k, j, i), changed; and what the threshold divides.\"\"\"\n"
                : "    \"\"\"A sample (channels, k, j, i), changed.\"\"\"\n";
    text += fmt::format("    {}, {}, {} = draw(random{})\n", turns(e.data) ? "space" : "_",
                        resamples(e.data) ? "resample" : "_", changesValues(e.data) ? "values" : "_",
                        rotates(e.data) ? ", (1.0, 1.0, 1.0)" : "");
    if (turns(e.data)) {
        text += "\n    def turned(channel, mode):\n";
        if (resamples(e.data)) {
            text +=
                "        if resample:\n"
                "            center = [(n - 1) / 2 for n in reversed(channel.shape)]\n"
                "            return resampled(channel, center, space, channel.shape, mode, \"border\")\n";
        }
        text += "        return reoriented(channel, space)\n\n";
    }
    if (threshold) {
        text += turns(e.data) ? "    divided = turned(sample[0], \"nearest\")\n"
                              : "    divided = sample[0].clone()\n";
    }
    if (turns(e.data)) {
        text += "    sample = torch.stack([turned(channel, \"bilinear\") for channel in sample])\n";
    }
    if (changesValues(e.data)) {
        text +=
            "    for channel, changes in zip(sample, values):\n"
            "        for change, *amounts in changes:\n"
            "            channel.copy_(change(channel, *amounts))\n";
    }
    return text + (threshold ? "    return sample, divided\n" : "    return sample\n");
}

/// Noise is generated on the GPU, unless it is augmented or delayed.
std::string syntheticBatches(const Experiment& e, const StackInfo& info) {
    const bool target = hasTarget(e), classes = target && e.target.kind == Target::Kind::Classes;
    const bool threshold = target && e.target.kind == Target::Kind::Threshold;
    const bool changes = !e.data.augment.empty(), onHost = changes || e.data.readDelayMs > 0;
    std::string text = classes || changes ? randomClass(changes, changes) : "";
    if (changes) {
        text += "\n\n" + augmentationFunctions(e, info.data) + augmentedNoise(e, threshold);
    }
    text += (text.empty() ? "" : "\n\n") + describe(e, "Random batches");
    const char* const place = onHost ? "" : "device=device";
    text += fmt::format("    noise = torch.Generator({}).manual_seed(SEED)\n", place);
    if (onHost && classes) {
        text += "    there = torch.Generator(device=device).manual_seed(SEED)\n";
    }
    text += fmt::format("    x = torch.empty({}{}{})\n", shapeText(info.data),
                        onHost ? "" : ", device=device", memoryFormat(e, info));
    const bool own = classes || threshold;
    if (own) {
        text += emptyTarget(info);
    }
    if (classes) {
        text += "    labels = Random(SEED)\n";
    }
    if (changes) {
        text += "    made = 0\n";
    }
    text += "    while True:\n";
    if (e.data.readDelayMs > 0) {
        text += fmt::format("        time.sleep({})  # a slow disk\n",
                            literal(e.data.readDelayMs / 1000 * static_cast<double>(info.data[0])));
    }
    text += "        x.normal_(generator=noise)\n";
    if (changes) {
        Shape view = {info.data[0], info.data[1], 1, 1, 1};
        std::copy(info.data.begin() + 2, info.data.end(),
                  view.end() - static_cast<std::ptrdiff_t>(info.data.size() - 2));
        text += fmt::format("        for n, sample in enumerate(x.view{}):\n", shapeText(view));
        text += threshold ? "            changed, divided = augmented(sample, random_of(made + n))\n"
                            "            sample.copy_(changed)\n"
                            "            target[n].copy_((divided >= " +
                                literal(e.target.threshold) + ").view_as(target[n]))\n"
                          : "            sample.copy_(augmented(sample, random_of(made + n)))\n";
        text += fmt::format("        made += {}\n", info.data[0]);
    }
    if (classes) {
        text += drawLabels(e, info, onHost ? "there" : "noise");
    } else if (threshold && !changes) {
        text += fmt::format("        target.copy_(x[:, {}] >= {})\n", wantsClasses(info) ? "0" : ":1",
                            literal(e.target.threshold));
    }
    if (!onHost) {
        return text + fmt::format("        yield {}\n", !target ? "x" : own ? "x, target" : "x, x");
    }
    text += own ? "        yield x.to(device), target\n"
                : "        batch = x.to(device)\n        yield " +
                      std::string(target ? "batch, batch" : "batch") + "\n";
    return text;
}

std::string scanBatches(const Experiment& e, const StackInfo& info) {
    const bool target = hasTarget(e), classes = target && e.target.kind == Target::Kind::Classes;
    const bool made = target && !classes && e.target.kind != Target::Kind::Input;
    std::string text = randomClass(!e.data.augment.empty(), true) + "\n\n";
    if (!e.data.augment.empty()) {
        text += augmentationFunctions(e, info.data) + "\n\n";
    }
    text += scanClasses(e, info) + "\n\n" + describe(e, "Batches of patches");
    std::vector<std::string> a = {"Patches()", fmt::format("batch_size={}", info.data[0])};
    if (e.data.workers > 0) {
        a.push_back(fmt::format("num_workers={}", e.data.workers));
        a.push_back(
            fmt::format("prefetch_factor={}",  // PyTorch counts batches
                        std::max<std::int64_t>(1, (e.data.prefetch + info.data[0] - 1) / info.data[0])));
    }
    if (e.data.pinned) {
        a.emplace_back("pin_memory=device.type == \"cuda\"");
    }
    a.emplace_back("generator=torch.Generator()");
    text += call(4, "loader = torch.utils.data.DataLoader", a);
    if (classes) {
        text += "    there = torch.Generator(device=device).manual_seed(SEED)\n    labels = Random(SEED)\n" +
                emptyTarget(info);
    }
    text += made ? "    for x, target in loader:\n" : "    for x in loader:\n";
    const std::string to = std::string("to(device, non_blocking=True") + memoryFormat(e, info) + ")";
    if (classes) {
        text += drawLabels(e, info, "there");
    }
    text += "        x = x." + to + "\n";
    if (!target) {
        return text + "        yield x\n";
    }
    if (e.target.kind == Target::Kind::Input) {
        return text + "        yield x, x\n";
    }
    return text +
           (made ? "        yield x, target.to(device, non_blocking=True)\n" : "        yield x, target\n");
}

}  // namespace

std::string dataFunctions(const Experiment& e, const StackInfo& info) {
    return std::holds_alternative<SyntheticInput>(e.input) ? syntheticBatches(e, info) : scanBatches(e, info);
}

}  // namespace highwater::stack::python
