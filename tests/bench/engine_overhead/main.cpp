// The engine's step, with and without the trace of every allocation, compared with the same step as a plain
// LibTorch loop: three processes (the allocator cannot be removed from a process again), one step each in
// turns, so that all run under the same conditions.
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <iostream>
#include <stdexcept>

#include "core/base/statistics.h"
#include "core/stack/json/json.h"
#include "core/stack/presets/presets.h"
#include "tests/bench/engine_overhead/workers.h"

namespace {

using namespace highwater;

/// A worker process and the pipes to it.
class Worker {
public:
    template <class Serve>
    Worker(const stack::Experiment& experiment, Serve serve) {
        int there[2], back[2];
        if (::pipe(there) != 0 || ::pipe(back) != 0) {
            throw std::runtime_error("no pipes");
        }
        pid_ = ::fork();
        if (pid_ == 0) {
            ::close(there[1]);
            ::close(back[0]);
            try {
                serve(experiment, bench::Channel{there[0], back[1]});
            } catch (const std::exception& error) {
                std::cerr << error.what() << '\n';
                ::_exit(1);
            }
            ::_exit(0);
        }
        ::close(there[0]);
        ::close(back[1]);
        go_ = there[1];
        done_ = back[0];
    }
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;
    ~Worker() {
        ::close(go_);
        ::waitpid(pid_, nullptr, 0);
        ::close(done_);
    }

    bench::Cost step() const {
        const char go = 1;
        bench::Cost cost;
        if (::write(go_, &go, 1) != 1 || ::read(done_, &cost, sizeof cost) != sizeof cost) {
            throw std::runtime_error("a worker ended");
        }
        return cost;
    }

private:
    pid_t pid_ = -1;
    int go_ = -1, done_ = -1;
};

stack::Experiment presetOf(const std::string& id, std::int64_t size) {
    const auto presets = stack::loadPresets();
    if (!presets) {
        throw std::runtime_error(presets.error().message);
    }
    for (const stack::Preset& preset : *presets) {
        if (preset.id != id) {
            continue;
        }
        stack::Experiment e = preset.experiment;
        auto& shape = std::get<stack::SyntheticInput>(e.input).shape;
        std::fill(shape.begin() + 1, shape.end(), size);
        e.step.checkpoint.kind = stack::Checkpointing::Kind::None;
        return e;
    }
    throw std::runtime_error("no preset " + id);
}

using Costs = std::vector<bench::Cost>;

/// The median of the fastest tenth: the time of a step undisturbed by other programs.
double quickest(std::vector<double> all) {
    std::sort(all.begin(), all.end());
    all.resize((all.size() + 9) / 10);
    return base::median(all);
}

/// The cost of b relative to a: of medians, of the fastest steps, and step by step.
void compare(const char* what, const Costs& a, const Costs& b, double bench::Cost::* part) {
    std::vector<double> before, after, ratios;
    for (std::size_t i = 0; i < a.size(); ++i) {
        before.push_back(a[i].*part);
        after.push_back(b[i].*part);
        ratios.push_back(after.back() / before.back());
    }
    const auto r = base::medianWithInterval(ratios);
    fmt::print(
        "  {:<26}ratio {:.4f} of medians, {:.4f} of the quickest tenth; of pairs {:.4f} (95 % {:.4f} to "
        "{:.4f})\n",
        what, base::median(after) / base::median(before), quickest(after) / quickest(before), r.median, r.low,
        r.high);
}

void print(const char* what, const std::array<Costs, 3>& costs, double bench::Cost::* part) {
    fmt::print("{}\n", what);
    for (std::size_t i = 0; i < costs.size(); ++i) {
        std::vector<double> all;
        for (const bench::Cost& cost : costs[i]) {
            all.push_back(cost.*part);
        }
        const auto interval = base::medianWithInterval(all);
        fmt::print("  {:<26}{:.2f} ms ({:.2f} to {:.2f})\n",
                   std::array{"bare", "engine, no trace", "engine, with the trace"}[i], interval.median,
                   interval.low, interval.high);
    }
    compare("no trace over bare", costs[0], costs[1], part);
    compare("with the trace over bare", costs[0], costs[2], part);
    compare("the trace itself", costs[1], costs[2], part);
}

}  // namespace

int main(int argc, char** argv) {
    std::string preset = "unet-3d";
    std::int64_t size = 32, threads = 1;
    int steps = 60, warmup = 5;
    CLI::App app("The engine's step against a bare LibTorch loop, interleaved");
    app.add_option("--preset", preset, "a preset's id");
    app.add_option("--size", size, "voxels along each axis of the patch");
    app.add_option("--threads", threads, "of each process");
    app.add_option("--steps", steps, "measured steps of each");
    CLI11_PARSE(app, argc, argv);
    try {
        stack::Experiment experiment = presetOf(preset, size);
        experiment.backend.threads = threads;
        const Worker bare(experiment, bench::serveBare), engine(experiment, bench::serveEngine),
            traced(experiment, bench::serveTracedEngine);
        const std::array<const Worker*, 3> workers = {&bare, &engine, &traced};
        std::array<Costs, 3> costs;
        for (int i = 0; i < warmup + steps; ++i) {
            // The order changes, so that none benefits from another's warm caches.
            for (std::size_t turn = 0; turn < workers.size(); ++turn) {
                const std::size_t who = (static_cast<std::size_t>(i) + turn) % workers.size();
                const bench::Cost cost = workers[who]->step();
                if (i >= warmup) {
                    costs[who].push_back(cost);
                }
            }
        }
        fmt::print("{}, {} voxels an axis, {} thread(s), {} steps of each in turn\n", preset, size, threads,
                   steps);
        print("wall", costs, &bench::Cost::wallMs);
        print("cpu", costs, &bench::Cost::cpuMs);
    } catch (const std::exception& error) {
        std::cerr << "engine_overhead: " << error.what() << '\n';
        return 1;
    }
    return 0;
}
