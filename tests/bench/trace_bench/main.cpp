// Writes a trace of many events like an engine, then opens it: its outline, a range, all of it.
#include <fmt/format.h>
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <ctime>
#include <filesystem>
#include <iostream>
#include <random>
#include <stdexcept>

#include "core/base/text.h"
#include "core/runs/trace_store.h"

namespace {

using namespace highwater;
using memory::Category;
using memory::TraceEvent;
using Kind = TraceEvent::Kind;

/// Training steps: the blocks of 64 layers are allocated in forward and kept, with temporaries in between,
/// and freed in backward.
class Steps {
public:
    memory::TraceChunk next() {
        memory::TraceChunk chunk;
        chunk.steps.push_back({static_cast<std::size_t>(events_), step_++});
        std::vector<std::uint32_t> kept;
        for (std::int16_t layer = 0; layer < kLayers; ++layer) {
            pass(chunk, layer, memory::Phase::Forward);
            kept.push_back(allocate(chunk, layer, memory::Phase::Forward));
            add(chunk, {0, kept.back(), layer, Kind::Retag, Category::Activations, memory::Phase::Forward});
        }
        for (std::int16_t layer = kLayers; layer-- > 0;) {
            pass(chunk, layer, memory::Phase::Backward);
            add(chunk, {0, kept[static_cast<std::size_t>(layer)], layer, Kind::Free, Category::Activations,
                        memory::Phase::Backward});
        }
        return chunk;
    }
    std::int64_t events() const { return events_; }
    static constexpr std::int16_t kLayers = 64;

private:
    void add(memory::TraceChunk& chunk, TraceEvent event) {
        event.time = clock_ += static_cast<std::int64_t>(random_() % 20'000);
        chunk.events.push_back(event);
        ++events_;
    }
    std::uint32_t allocate(memory::TraceChunk& chunk, std::int16_t layer, memory::Phase phase) {
        const auto bytes = static_cast<base::Bytes>(random_() % (1U << 24U));
        chunk.blocks.push_back({bytes, bytes, -1});
        add(chunk, {0, blocks_, layer, Kind::Allocate, Category::Temporaries, phase});
        return blocks_++;
    }
    void pass(memory::TraceChunk& chunk, std::int16_t layer, memory::Phase phase) {
        for (int i = 0; i < 3; ++i) {
            add(chunk, {0, allocate(chunk, layer, phase), layer, Kind::Free, Category::Temporaries, phase});
        }
    }

    std::mt19937 random_{1};
    std::int64_t clock_ = 0, events_ = 0;
    std::uint32_t blocks_ = 0;
    int step_ = 0;
};

/// Wall-clock time, and processor time, which other programs disturb less.
struct Spent {
    double wall = 0, cpu = 0;
};

Spent spentOn(const std::function<void()>& work) {
    const auto now = [](clockid_t clock) {
        timespec time{};
        clock_gettime(clock, &time);
        return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
    };
    const double wall = now(CLOCK_MONOTONIC), cpu = now(CLOCK_PROCESS_CPUTIME_ID);
    work();
    return {now(CLOCK_MONOTONIC) - wall, now(CLOCK_PROCESS_CPUTIME_ID) - cpu};
}

void require(const base::Status& status) {
    if (!status) {
        throw std::runtime_error(status.error().message);
    }
}

template <class T>
T require(base::Result<T> result) {
    if (!result) {
        throw std::runtime_error(result.error().message);
    }
    return std::move(*result);
}

void print(const char* what, const Spent& spent, std::size_t count) {
    fmt::print("{:<10}{:.3f} s on the clock, {:.3f} s of the processor, for {} ({:.1f} M/s)\n", what,
               spent.wall, spent.cpu, count, static_cast<double>(count) / spent.cpu / 1e6);
}

void write(const std::filesystem::path& folder, std::int64_t events) {
    auto writer =
        require(runs::TraceWriter::create(folder, std::vector<std::string>(Steps::kLayers, "conv")));
    Steps steps;
    Spent spent;
    const auto timed = [&](const std::function<void()>& work) {
        const Spent more = spentOn(work);
        spent = {spent.wall + more.wall, spent.cpu + more.cpu};
    };
    while (steps.events() < events) {
        const memory::TraceChunk chunk = steps.next();
        timed([&] { require(writer.append(chunk)); });
    }
    timed([&] { require(writer.finish()); });
    const auto bytes = static_cast<base::Bytes>(std::filesystem::file_size(runs::traceFile(folder)));
    fmt::print("{} events, {}, {:.1f} B an event\n", steps.events(), base::formatBytes(bytes),
               static_cast<double>(bytes) / static_cast<double>(steps.events()));
    print("written", spent, static_cast<std::size_t>(steps.events()));
}

void read(const std::filesystem::path& folder) {
    runs::TraceInfo info;
    const Spent outline = spentOn([&] { info = require(runs::inspectTrace(folder)); });
    print("outline", outline, info.rows.size());
    const runs::TraceRange range{info.events / 2, 100'000};
    std::size_t found = 0;
    const Spent part = spentOn([&] { found = require(runs::readTrace(folder, range)).events.size(); });
    print("a range", part, found);
    const Spent whole = spentOn([&] { found = require(runs::readTrace(folder)).events.size(); });
    print("the whole", whole, found);
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    fmt::print("{} at most in memory\n", base::formatBytes(usage.ru_maxrss * 1024L));
}

}  // namespace

int main(int argc, char** argv) {
    double million = 1;
    CLI::App app("Writing and reading a run's trace");
    app.add_option("--events", million, "how many, in millions")->check(CLI::Range(0.001, 1000.0));
    CLI11_PARSE(app, argc, argv);
    const auto folder = std::filesystem::temp_directory_path() / fmt::format("trace-bench-{}", ::getpid());
    std::filesystem::create_directories(folder);
    int exit = 0;
    try {
        write(folder, static_cast<std::int64_t>(million * 1e6));
        read(folder);
    } catch (const std::exception& error) {
        std::cerr << "trace_bench: " << error.what() << '\n';
        exit = 1;
    }
    std::filesystem::remove_all(folder);
    return exit;
}
