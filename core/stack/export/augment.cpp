#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/stack/export/data.h"
#include "core/stack/export/python_text.h"
#include "texts/stack_texts.h"

namespace highwater::stack::python {

namespace {

using Kind = Augmentation::Kind;
using Extent = std::array<std::int64_t, 3>;  ///< i, j, k

Extent extentOf(const Shape& data) {
    Extent extent{1, 1, 1};
    for (std::size_t axis = 0; axis + 2 < data.size(); ++axis) {
        extent[axis] = data[data.size() - 1 - axis];
    }
    return extent;
}

/// As core/volume/augment.h's defaultAmount.
double amountOf(const Augmentation& a) {
    constexpr double kStandard[] = {0, 0, 15, 0.2, 0.1, 1, 0.25, 0.3};
    return a.amount > 0 ? a.amount : kStandard[static_cast<int>(a.kind)];
}

bool uses(const Data& data, Kind kind) {
    return std::any_of(data.augment.begin(), data.augment.end(),
                       [&](const Augmentation& each) { return each.kind == kind; });
}

// --- drawing: the same random numbers as the engine, in the same order

std::string flips(const Augmentation& a, const Extent& extent) {
    std::string text = fmt::format("flips = [random.uniform() < {} for _ in range(3)]\n", literal(a.p));
    std::string long_;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        long_ += fmt::format("{}{}", axis == 0 ? "" : ", ", literal(extent[axis] > 1));
    }
    return text +
           fmt::format("signs = [-1.0 if flip and long else 1.0 for flip, long in zip(flips, ({}))]\n",
                       long_) +
           "space = space @ np.diag(signs)\n";
}

std::string quarterTurns(const Extent& extent) {
    std::vector<std::string> normals;
    for (std::size_t k = 0; k < 3; ++k) {
        if (extent[(k + 1) % 3] == extent[(k + 2) % 3] && extent[(k + 1) % 3] > 1) {
            normals.push_back(fmt::format("{}", k));
        }
    }
    if (normals.empty()) {
        return "pass  # no two sides are equally long\n";
    }
    return fmt::format(
        "k = {}[int(random.uniform() * {})]\n"
        "i, j = (k + 1) % 3, (k + 2) % 3\n"
        "quarter = np.zeros((3, 3))\n"
        "quarter[k, k], quarter[i, j], quarter[j, i] = 1, -1, 1\n"
        "space = space @ np.linalg.matrix_power(quarter, 1 + int(random.uniform() * 3))\n",
        tuple(normals), normals.size());
}

std::string rotation(const Augmentation& a, const Extent& extent) {
    std::string text;
    const auto flat = std::find(extent.begin(), extent.end(), 1);
    if (flat != extent.end()) {
        Extent normal{0, 0, 0};
        normal[static_cast<std::size_t>(flat - extent.begin())] = 1;
        text += fmt::format("axis = np.array([{}.0, {}.0, {}.0])\n", normal[0], normal[1], normal[2]);
    } else {
        text +=
            "z, turn = random.uniform(-1, 1), random.uniform(0, 2 * math.pi)\n"
            "r = math.sqrt(max(0.0, 1 - z * z))\n"
            "axis = np.array([r * math.cos(turn), r * math.sin(turn), z])\n";
    }
    return text + fmt::format("angle = math.radians(random.uniform(-{0}, {0}))\n", literal(amountOf(a))) +
           "turned = rotation(axis, angle)\n"
           "space = space @ (turned * np.array(spacing) / np.array(spacing)[:, None])\n"
           "resample = True\n";
}

std::string scaling(const Augmentation& a, const Extent& extent) {
    std::string diagonal;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        diagonal += fmt::format("{}{}", axis == 0 ? "" : ", ", extent[axis] > 1 ? "1 / factor" : "1.0");
    }
    return fmt::format("factor = random.uniform(1 - {0}, 1 + {0})\n", literal(amountOf(a))) +
           "space = space @ np.diag([" + diagonal + "])\nresample = True\n";
}

std::string ofSpace(const Augmentation& a, const Extent& extent) {
    const auto active = std::count_if(extent.begin(), extent.end(), [](auto n) { return n > 1; });
    if (a.kind == Kind::Flip) {
        return flips(a, extent);
    }
    const std::string condition = fmt::format("if random.uniform() < {}:", literal(a.p));
    if (active < (a.kind == Kind::Scale ? 1 : 2)) {
        return "random.uniform()\n";
    }
    return condition + "\n" +
           indented(4, a.kind == Kind::Rotate90 ? quarterTurns(extent)
                       : a.kind == Kind::Rotate ? rotation(a, extent)
                                                : scaling(a, extent));
}

std::string ofValues(const Augmentation& a) {
    constexpr const char* kNames[] = {"", "", "", "", "noise", "blur", "brightness", "gamma"};
    const std::string amount = literal(amountOf(a));
    const std::string drawn = a.kind == Kind::Noise ? amount + ", int(random.numbers(1)[0])"
                              : a.kind == Kind::Blur
                                  ? amount
                                  : fmt::format("random.uniform(1 - {0}, 1 + {0})", amount);
    return fmt::format(
        "for changes in values:\n"
        "    if random.uniform() < {}:\n"
        "        changes.append(({}, {}))\n",
        literal(a.p), kNames[static_cast<int>(a.kind)], drawn);
}

std::string draw(const Experiment& e, const Shape& data) {
    const Extent extent = extentOf(data);
    std::string text = "def draw(random";
    text += rotates(e.data) ? ", spacing):\n" : "):\n";
    text +=
        "    \"\"\"What happens to a sample: to its axes (i, j, k), and to each channel's values.\"\"\"\n";
    text += "    space, resample = np.eye(3), False\n";
    text += fmt::format("    values = [[] for _ in range({})]\n", data[1]);
    for (const Augmentation& a : e.data.augment) {
        text += indented(4, changesSpace(a) ? ofSpace(a, extent) : ofValues(a));
    }
    return text + "    return space, resample, values\n";
}

}  // namespace

bool changesSpace(const Augmentation& a) {
    return a.kind < Kind::Noise;
}

bool resamples(const Data& data) {
    return uses(data, Kind::Rotate) || uses(data, Kind::Scale);
}

bool turns(const Data& data) {
    return std::any_of(data.augment.begin(), data.augment.end(), changesSpace);
}

bool rotates(const Data& data) {
    return uses(data, Kind::Rotate);
}

bool changesValues(const Data& data) {
    return !std::all_of(data.augment.begin(), data.augment.end(), changesSpace);
}

std::string augmentationFunctions(const Experiment& e, const Shape& data) {
    if (e.data.augment.empty()) {
        return {};
    }
    std::string text;
    if (uses(e.data, Kind::Rotate)) {
        text += function(texts::rotation);
    }
    if (turns(e.data)) {
        text += function(texts::reoriented);
    }
    if (resamples(e.data)) {
        text += function(texts::resampled);
    }
    for (const auto& [kind, function] : {std::pair{Kind::Noise, texts::noise},
                                         {Kind::Blur, texts::blur},
                                         {Kind::Brightness, texts::brightness},
                                         {Kind::Gamma, texts::gamma}}) {
        if (uses(e.data, kind)) {
            text += function;
        }
    }
    return text + draw(e, data);
}

}  // namespace highwater::stack::python
