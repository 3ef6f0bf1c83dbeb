#pragma once

#include <random>
#include <string>

#include "core/wire/events.h"

namespace highwater::wire::test {

/// Events with random values in every field; the same seed gives the same events.
class RandomEvents {
public:
    explicit RandomEvents(std::uint64_t seed) : random_(seed) {}

    Event next(std::size_t kind) {
        switch (kind % std::variant_size_v<Event>) {
            case 0:
                return started();
            case 1:
                return LedgerSample{number(), ledger(), bytes(), bytes(),
                                    bytes(),  index(),  phase(), maybeDevice()};
            case 2:
                return step();
            case 3:
                return LayerEvent{index(), layer()};
            case 4:
                return PatchSaved{
                    text(), {below(100) - 50, below(100), below(100)}, index(), bytes(), below(9)};
            case 5:
                return Warning{text()};
            case 6:
                return failed();
            default:
                return Finished{result()};
        }
    }

    RunResult result() {
        RunResult r;
        r.runId = text();
        r.status = static_cast<RunStatus>(below(5));
        r.environment = environment();
        r.peakAllocated = bytes();
        r.peakReserved = below(2) ? bytes() : 0;
        r.peakRss = bytes();
        r.peakByCategory = ledger();
        for (std::int64_t i = below(4); i >= 0; --i) {
            r.layers.push_back(layer());
        }
        r.peak = peak(static_cast<int>(r.layers.size()));
        r.stepMs = {number(), number(), number(), index()};
        r.phasesMs = phases();
        r.throughput = number();
        r.lossFirst = number();
        r.lossLast = number();
        for (std::int64_t i = below(20); i > 0; --i) {
            r.losses.push_back(number());
        }
        r.atEnd = ledger();
        r.cases = below(3);
        if (below(2)) {
            addGpuPart(r);
        }
        if (below(2)) {
            r.failure = failed();
        }
        if (below(2)) {
            r.predicted = predicted();
        }
        for (std::int64_t i = below(3); i > 0; --i) {
            r.ranks.push_back({index(),
                               static_cast<RunStatus>(below(5)),
                               text(),
                               bytes(),
                               bytes(),
                               ledger(),
                               {number(), number(), number(), index()},
                               number(),
                               text()});
        }
        return r;
    }

private:
    std::int64_t below(std::int64_t n) {
        return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(n));
    }
    Bytes bytes() { return static_cast<Bytes>(random_() >> (4 + random_() % 40)); }
    int index() { return static_cast<int>(random_() >> (33 + random_() % 20)); }
    double number() {
        return std::ldexp(static_cast<double>(static_cast<std::int64_t>(random_())),
                          static_cast<int>(below(80)) - 100);
    }
    std::string text() {
        static const std::string pieces[] = {"conv", "5 ", "\"", "\\",   "\n", "\t",
                                             "·",    "→",  "",   "\x01", "名", "/"};
        std::string out;
        for (std::int64_t i = below(8); i > 0; --i) {
            out += pieces[below(std::size(pieces))];
        }
        return out;
    }
    Phase phase() { return static_cast<Phase>(below(6)); }
    memory::Ledger ledger() {
        memory::Ledger l;
        for (Bytes& b : l.bytes) {
            b = bytes();
        }
        return l;
    }
    PhaseTimes phases() { return {number(), number(), number(), number(), number()}; }
    PeakMoment peak(int layers) {
        return {ledger(), number(), phase(), static_cast<int>(below(layers + 1)) - 1};
    }
    LayerCost layer() {
        return {text(), text(), {below(9), bytes(), 7}, bytes(), bytes(), number(), number()};
    }
    Environment environment() {
        return {text(),  text(),           {{"highwater", text()}, {"libtorch", text()}}, index(), text(),
                bytes(), below(2) ? 90 : 0};
    }
    Failed failed() {
        return {static_cast<RunStatus>(below(5)),
                text(),
                index(),
                phase(),
                text(),
                bytes(),
                ledger(),
                maybeDevice(),
                text(),
                below(3)};
    }
    DeviceMemory device() {
        return {bytes(), bytes(), bytes(), bytes(), bytes(), bytes(), bytes(), below(2) == 1};
    }
    std::optional<DeviceMemory> maybeDevice() { return below(2) ? std::optional(device()) : std::nullopt; }
    GpuConditions conditions() {
        GpuConditions c{index(), index(), index(), index(), number(), {}};
        for (std::int64_t i = below(3); i > 0; --i) {
            c.throttled.push_back(text());
        }
        return c;
    }
    /// Each of its parts may be absent.
    void addGpuPart(RunResult& r) {
        r.deviceAtPeak = maybeDevice();
        r.deviceAtEnd = maybeDevice();
        r.peakDeviceUsed = below(2) ? bytes() : 0;
        if (below(2)) {
            r.hostMs = phases();
        }
        if (below(2)) {
            r.before = conditions();
        }
        if (below(2)) {
            r.after = conditions();
        }
        for (std::int64_t i = below(4); i > 0; --i) {
            r.workspaces.push_back(
                {static_cast<int>(below(static_cast<std::int64_t>(r.layers.size()) + 1)) - 1, phase(),
                 bytes()});
        }
        r.allocationRetries = below(3);
        r.workspacesRefused = below(2) ? bytes() : 0;
    }
    Predicted predicted() {
        Predicted p{text(), bytes(), bytes(), bytes(), ledger(), number(), number(), number(), {}, {}};
        for (std::int64_t i = below(4); i > 0; --i) {
            p.activationBytes.push_back(bytes());
        }
        for (std::int64_t i = below(3); i > 0; --i) {
            p.guesses.push_back(text());
        }
        return p;
    }
    Event started() {
        Started s{text(), environment(), {}, index(), index(), {}};
        for (std::int64_t i = below(5); i > 0; --i) {
            s.layers.push_back(layer());
        }
        if (below(2)) {
            s.budget = bytes();
        }
        return s;
    }
    Event step() {
        StepDone s{index(), below(2) == 1, phases(), number(), {}, peak(1000), number(), {}, {}};
        if (below(2)) {
            s.host = phases();
        }
        for (std::int64_t i = below(30); i > 0; --i) {
            s.timeline.push_back({number(), ledger()});
        }
        for (std::int64_t i = below(8); i > 0; --i) {
            s.marks.push_back({number(), phase(), static_cast<int>(below(9)) - 1});
        }
        s.waited = below(2) == 1;
        return s;
    }
    std::mt19937_64 random_;
};

}  // namespace highwater::wire::test
