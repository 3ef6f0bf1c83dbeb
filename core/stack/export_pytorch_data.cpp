#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/stack/export_pytorch_parts.h"
#include "core/stack/python_text.h"

namespace highwater::stack::python {

namespace {

constexpr const char* kRandom = R"(class Random:
    """std::mt19937_64: the Mersenne Twister's 64-bit numbers, many at once."""

    def __init__(self, seed):
        state = [seed]
        for i in range(1, 312):
            state.append((6364136223846793005 * (state[-1] ^ (state[-1] >> 62)) + i) % 2**64)
        self.state = np.array(state, dtype=np.uint64)
        self.ready = np.empty(0, dtype=np.uint64)

    def twist(self):
        def mixed(high, low):
            y = (high & np.uint64(0xFFFFFFFF80000000)) | (low & np.uint64(0x7FFFFFFF))
            return (y >> np.uint64(1)) ^ ((y & np.uint64(1)) * np.uint64(0xB5026F5AA96619E9))

        s = self.state
        s[:156] = s[156:] ^ mixed(s[:156], s[1:157])
        s[156:311] = s[:155] ^ mixed(s[156:311], s[157:])
        s[311:] = s[155:156] ^ mixed(s[311:], s[:1])
        y = s ^ ((s >> np.uint64(29)) & np.uint64(0x5555555555555555))
        y ^= (y << np.uint64(17)) & np.uint64(0x71D67FFFEDA60000)
        y ^= (y << np.uint64(37)) & np.uint64(0xFFF7EEE000000000)
        return y ^ (y >> np.uint64(43))

    def below(self, limit, count):
        """Numbers from 0 to below the limit, evenly distributed: the high bits of number * limit."""
        while self.ready.size < count:
            more = [self.twist() for _ in range(-(-(count - self.ready.size) // 312))]
            self.ready = np.concatenate([self.ready, *more])
        numbers, self.ready = self.ready[:count], self.ready[count:]
        low, high, limit = numbers & np.uint64(0xFFFFFFFF), numbers >> np.uint64(32), np.uint64(limit)
        return ((high * limit + ((low * limit) >> np.uint64(32))) >> np.uint64(32)).astype(np.int64)


)";

bool wantsClasses(const StackInfo& info) {
    return info.targetClasses > 0;
}

std::string shapeText(const Shape& shape) {
    return fmt::format("({})", fmt::join(shape, ", "));
}

/// The target's shape: N, spatial for classes, N, 1, spatial for a label map.
Shape targetShape(const StackInfo& info) {
    Shape shape = info.data;
    if (wantsClasses(info))
        shape.erase(shape.begin() + 1);
    else
        shape[1] = 1;
    return shape;
}

std::string memoryFormat(const Experiment& e, const StackInfo& info) {
    if (!e.step.channelsLast || info.data.size() < 4)
        return {};
    return info.data.size() == 4 ? ", memory_format=torch.channels_last"
                                 : ", memory_format=torch.channels_last_3d";
}

std::string syntheticBatches(const Experiment& e, const StackInfo& info) {
    const bool target = hasTarget(e), classes = target && e.target.kind == Target::Kind::Classes;
    std::string text = classes ? kRandom : "";
    text += "def batches(device):\n    \"\"\"Random batches without end";
    text += !target                                  ? ".\"\"\"\n"
            : e.target.kind == Target::Kind::Input   ? ", which are their own target.\"\"\"\n"
            : e.target.kind == Target::Kind::Classes ? ", with random labels.\"\"\"\n"
                                                     : ", labelled by a threshold.\"\"\"\n";
    text += "    noise = torch.Generator(device=device).manual_seed(SEED)\n";
    text += fmt::format("    x = torch.empty({}, device=device{})\n", shapeText(info.data),
                        memoryFormat(e, info));
    const bool own = target && e.target.kind != Target::Kind::Input;
    if (own)
        text += fmt::format("    target = torch.empty({}, {}device=device)\n", shapeText(targetShape(info)),
                            wantsClasses(info) ? "dtype=torch.int64, " : "");
    if (classes)
        text += "    labels = Random(SEED)\n";
    text += "    while True:\n        x.normal_(generator=noise)\n";
    const std::int64_t count = wantsClasses(info) ? info.targetClasses : e.target.classes;
    if (classes)
        text += fmt::format(
            "        if device.type == \"cuda\":\n"
            "            target.random_(0, {}, generator=noise)\n"
            "        else:\n"
            "            numbers = torch.from_numpy(labels.below({}, target.numel()))\n"
            "            target.copy_(numbers.view_as(target))\n",
            count, count);
    else if (own)
        text += fmt::format("        target.copy_(x[:, {}] >= {})\n", wantsClasses(info) ? "0" : ":1",
                            literal(e.target.threshold));
    return text + fmt::format("        yield {}\n", !target ? "x" : own ? "x, target" : "x, x");
}

}  // namespace

std::string dataFunctions(const Experiment& e, const StackInfo& info) {
    return syntheticBatches(e, info);
}

}  // namespace highwater::stack::python
