#include <fmt/format.h>

#include "core/base/paths.h"
#include "core/stack/export/data.h"
#include "core/stack/export/export_pytorch.h"
#include "core/stack/export/parts.h"
#include "core/stack/export/python_text.h"
#include "texts/stack_texts.h"

namespace highwater::stack::python {

namespace {

std::string patchText(const Shape& data) {
    return fmt::format("({}, {}, {})", data[2], data[3], data[4]);
}

bool madeTarget(const Experiment& e) {
    return hasTarget(e) &&
           (e.target.kind == Target::Kind::Threshold || e.target.kind == Target::Kind::Labels);
}

bool byLabels(const Experiment& e) {
    return hasTarget(e) && e.target.kind == Target::Kind::Labels;
}

std::string normalization(const Normalize& n) {
    switch (n.kind) {
        case Normalize::Kind::None:
            return "offset, spread = 0.0, 1.0\n";
        case Normalize::Kind::Zscore:
            return "offset, spread = finite.mean(dtype=np.float64), finite.std(dtype=np.float64)\n";
        case Normalize::Kind::Minmax:
            return "offset, spread = finite.min(), float(finite.max()) - float(finite.min())\n";
        case Normalize::Kind::Window:
            break;
    }
    return fmt::format("offset, spread = {}, {}\n", literal(n.low), literal(n.high - n.low));
}

/// Returns __init__ of class Patches.
std::string loading(const Experiment& e, const ScanInput& scan) {
    const bool foreground = scan.sampling == ScanInput::Sampling::Foreground;
    std::string text =
        "    def __init__(self):\n        self.channels = []\n        for path, volume in SCANS:\n";
    text += "            values, self.spacing = load(path, volume)\n";
    if (foreground && !byLabels(e)) {
        text +=
            "            if not self.channels:\n"
            "                self.guide, self.level = torch.from_numpy(values), otsu(values)\n";
    }
    text +=
        "            finite = values[np.isfinite(values)]\n            low = float(finite.min())\n           "
        " " +
        normalization(scan.normalize);
    text +=
        "            scale = 1 / spread if spread > 0 else 1.0\n"
        "            # Without its lowest value, so that zeros pad it with that.\n"
        "            values = torch.from_numpy(values - np.float32(low))\n"
        "            self.channels.append((values, low, float(offset), float(scale)))\n";
    if (byLabels(e)) {
        text += "        self.labels = torch.from_numpy(load(LABELS)[0]).nan_to_num(0.0)\n";
    }
    if (foreground && byLabels(e)) {
        text += "        self.guide, self.level = self.labels, 0.5\n";
    }
    if (foreground) {
        text +=
            "        # How many voxels are foreground, up to the end of each slice.\n"
            "        self.counts = np.cumsum([int((part > self.level).sum()) for part in self.guide])\n"
            "        if self.counts[-1] == 0:\n"
            "            warnings.warn(\"no voxel is foreground: patches lie anywhere\")\n";
    }
    return text + "        self.size = self.channels[0][0].shape\n\n";
}

std::string placing(const ScanInput& scan) {
    std::string text =
        "    def inside(self, start):\n"
        "        \"\"\"Within the scan; in its middle where the patch is longer. All i, j, k.\"\"\"\n"
        "        room = [n - p for n, p in zip(self.size[::-1], PATCH[::-1])]\n"
        "        return [min(max(s, 0), r) if r >= 0 else -(-r // 2) for s, r in zip(start, room)]\n\n";
    const bool foreground = scan.sampling == ScanInput::Sampling::Foreground;
    if (foreground) {
        text +=
            "    def around(self, *voxel):\n"
            "        return self.inside([at - p // 2 for at, p in zip(voxel, PATCH[::-1])])\n\n";
    }
    text += "    def place(self, random):\n";
    if (foreground) {
        text +=
            "        for _ in range(1000):\n"
            "            i, j, k = (int(random.below(n, 1)[0]) for n in self.size[::-1])\n"
            "            if self.guide[k, j, i] > self.level:\n"
            "                return self.around(i, j, k)\n"
            "        if self.counts[-1] > 0:  # it is rare: one of its voxels by its number\n"
            "            n = int(random.below(int(self.counts[-1]), 1)[0])\n"
            "            k = int(np.searchsorted(self.counts, n, side=\"right\"))\n"
            "            j, i = (self.guide[k] > self.level).nonzero()[n - int(self.counts[k])].tolist()\n"
            "            return self.around(i, j, k)\n";
    }
    return text +
           "        room = [max(n - p, 0) + 1 for n, p in zip(self.size[::-1], PATCH[::-1])]\n"
           "        return self.inside([int(random.below(n, 1)[0]) for n in room])\n\n";
}

std::string reading(const Experiment& e) {
    std::string text =
        "    @staticmethod\n"
        "    def cut(values, start):\n"
        "        pads, places = [], []\n"
        "        for at, length, n in zip(start, PATCH[::-1], values.shape[::-1]):\n"
        "            pads += [max(-at, 0), max(at + length - n, 0)]\n"
        "            places.insert(0, slice(max(at, 0), at + length))\n"
        "        return F.pad(values[tuple(places)], pads)\n\n";
    if (!turns(e.data)) {
        return text;
    }
    text += "    def read(self, values, start, space, resample, mode):\n";
    if (resamples(e.data)) {
        text +=
            "        if resample:\n"
            "            center = [at + (n - 1) / 2 for at, n in zip(start, PATCH[::-1])]\n"
            "            return resampled(values, center, space, PATCH, mode, \"zeros\")\n";
    }
    return text + "        return reoriented(self.cut(values, start), space)\n\n";
}

std::string sample(const Experiment& e, const StackInfo& info, const ScanInput& scan) {
    const bool turned = turns(e.data);
    const auto read = [&](const std::string& values, const char* mode) {
        return turned ? fmt::format("self.read({}, start, space, resample, \"{}\")", values, mode)
                      : fmt::format("self.cut({}, start)", values);
    };
    std::string text = "    def __getitem__(self, n):\n";
    if (e.data.readDelayMs > 0) {
        text += fmt::format("        time.sleep({})  # a slow disk\n", literal(e.data.readDelayMs / 1000));
    }
    text += "        random = random_of(n)\n        start = self.place(random)\n";
    if (!e.data.augment.empty()) {
        text += fmt::format("        {}, {}, {} = draw(random{})\n", turned ? "space" : "_",
                            turned ? "resample" : "_", changesValues(e.data) ? "values" : "_",
                            rotates(e.data) ? ", self.spacing" : "");
    }
    if (madeTarget(e)) {
        if (byLabels(e)) {
            text += "        target = torch.round(" + read("self.labels", "nearest") + ")\n";
        } else {
            text += "        raw, low = self.channels[0][:2]\n        target = " + read("raw", "nearest") +
                    fmt::format(" + low >= {}\n", literal(e.target.threshold));
        }
        text += info.targetClasses > 0 ? "        target = target.long()\n"
                                       : "        target = target.float().unsqueeze(0)\n";
    }
    text += "        patches = []\n";
    text += changesValues(e.data)
                ? "        for (raw, low, offset, scale), changes in zip(self.channels, values):\n"
                : "        for raw, low, offset, scale in self.channels:\n";
    text += "            patch = (" + read("raw", "bilinear") + " + (low - offset)) * scale\n";
    text += "            patch = patch.nan_to_num(0.0, 0.0, 0.0)\n";
    if (scan.normalize.kind == Normalize::Kind::Window) {
        text += "            patch = patch.clamp(0, 1)\n";
    }
    if (changesValues(e.data)) {
        text +=
            "            for change, *amounts in changes:\n"
            "                patch = change(patch, *amounts)\n";
    }
    text += "            patches.append(patch)\n";
    return text + (madeTarget(e) ? "        return torch.stack(patches), target\n"
                                 : "        return torch.stack(patches)\n");
}

}  // namespace

std::string scanClasses(const Experiment& e, const StackInfo& info) {
    const auto& scan = std::get<ScanInput>(e.input);
    std::string text;
    if (scan.sampling == ScanInput::Sampling::Foreground && !byLabels(e)) {
        text += function(texts::otsu);
    }
    std::string list;
    if (readsPhantom(e)) {
        list = fmt::format(
            "# The head phantom: `highwater-cli volume phantom {0}` makes this file.\n"
            "PHANTOM = os.path.join(os.path.dirname(os.path.abspath(__file__)), \"{0}\")\n",
            base::kHeadPhantomFile);
    }
    list += "SCANS = [  # and which volume of a 4D file\n";
    for (const ScanSource& source : scan.scans) {
        list +=
            fmt::format("    ({}, {}),\n",
                        source.path == base::kHeadPhantom ? "PHANTOM" : literal(source.path), source.volume);
    }
    text = list + "]\n" + (byLabels(e) ? "LABELS = " + literal(e.target.labels) + "\n" : "") +
           "PATCH = " + patchText(info.data) + "  # k, j, i\n\n\n" + function(texts::load_scan) + text;
    text +=
        "class Patches(torch.utils.data.Dataset):\n"
        "    \"\"\"Patches of the scan without end; the n-th is always the same.\"\"\"\n\n";
    text += loading(e, scan) + "    def __len__(self):\n        return 2**40\n\n";
    return text + placing(scan) + reading(e) + sample(e, info, scan);
}

}  // namespace highwater::stack::python
