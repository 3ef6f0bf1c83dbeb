// The engine's step with everything on against the same step as a bare LibTorch loop: two processes (the
// allocator cannot be taken out of one again), one step each in turn, so that both meet the same machine.
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <stdexcept>

#include "core/base/statistics.h"
#include "core/stack/json.h"
#include "core/stack/presets.h"
#include "tests/bench/engine_overhead/workers.h"

namespace {

using namespace highwater;

/// A worker process and the pipes to it.
class Worker {
public:
    template <class Serve>
    Worker(const stack::Experiment& experiment, Serve serve) {
        int there[2], back[2];
        if (::pipe(there) != 0 || ::pipe(back) != 0)
            throw std::runtime_error("no pipes");
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
        if (::write(go_, &go, 1) != 1 || ::read(done_, &cost, sizeof cost) != sizeof cost)
            throw std::runtime_error("a worker ended");
        return cost;
    }

private:
    pid_t pid_ = -1;
    int go_ = -1, done_ = -1;
};

stack::Experiment presetOf(const std::string& id, std::int64_t size) {
    const auto presets = stack::loadPresets();
    if (!presets)
        throw std::runtime_error(presets.error().message);
    for (const stack::Preset& preset : *presets) {
        if (preset.id != id)
            continue;
        stack::Experiment e = preset.experiment;
        auto& shape = std::get<stack::SyntheticInput>(e.input).shape;
        std::fill(shape.begin() + 1, shape.end(), size);
        e.step.checkpoint.kind = stack::Checkpointing::Kind::None;
        return e;
    }
    throw std::runtime_error("no preset " + id);
}

void print(const char* what, const std::vector<bench::Cost>& plain, const std::vector<bench::Cost>& measured,
           double bench::Cost::*part) {
    std::vector<double> bareMs, engineMs, ratios;
    for (std::size_t i = 0; i < plain.size(); ++i) {
        bareMs.push_back(plain[i].*part);
        engineMs.push_back(measured[i].*part);
        ratios.push_back(engineMs.back() / bareMs.back());
    }
    const auto b = base::medianWithInterval(bareMs), e = base::medianWithInterval(engineMs),
               r = base::medianWithInterval(ratios);
    std::sort(ratios.begin(), ratios.end());
    fmt::print("{:<5} bare {:.2f} ms ({:.2f} to {:.2f}), engine {:.2f} ms ({:.2f} to {:.2f})\n", what,
               b.median, b.low, b.high, e.median, e.low, e.high);
    fmt::print(
        "      ratio {:.4f} of medians; of pairs {:.4f} (95 % {:.4f} to {:.4f}; quartiles {:.4f}, {:.4f})\n",
        e.median / b.median, r.median, r.low, r.high, ratios[ratios.size() / 4],
        ratios[ratios.size() * 3 / 4]);
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
    app.add_option("--steps", steps, "measured pairs of steps");
    CLI11_PARSE(app, argc, argv);
    try {
        stack::Experiment experiment = presetOf(preset, size);
        experiment.backend.threads = threads;
        const Worker bare(experiment, bench::serveBare), engine(experiment, bench::serveEngine);
        std::vector<bench::Cost> plain, measured;
        for (int i = 0; i < warmup + steps; ++i) {
            // Who goes first alternates, so that neither profits from the other's warm caches.
            const bench::Cost first = i % 2 == 0 ? bare.step() : engine.step();
            const bench::Cost second = i % 2 == 0 ? engine.step() : bare.step();
            if (i < warmup)
                continue;
            plain.push_back(i % 2 == 0 ? first : second);
            measured.push_back(i % 2 == 0 ? second : first);
        }
        fmt::print("{}, {} voxels an axis, {} thread(s), {} pairs of steps\n", preset, size, threads, steps);
        print("wall", plain, measured, &bench::Cost::wallMs);
        print("cpu", plain, measured, &bench::Cost::cpuMs);
    } catch (const std::exception& error) {
        std::cerr << "engine_overhead: " << error.what() << '\n';
        return 1;
    }
    return 0;
}
