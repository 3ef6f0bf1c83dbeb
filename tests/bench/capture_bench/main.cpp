#include <fmt/format.h>
#include <sys/resource.h>

#include <chrono>
#include <cstdlib>

#include "core/base/text.h"
#include "core/capture/capture.h"
#include "tests/bench/capture_bench/foreign_snapshot.h"
#include "tests/core/capture/random_trace.h"
#include "tests/core/temporary_folder.h"

namespace highwater {
namespace {

/// Wall-clock time and processor time; the latter matters if other programs are running.
struct Times {
    double clock = 0, processor = 0;
};

double processorSeconds() {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    const auto seconds = [](const timeval& time) {
        return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

Times timed(const std::function<void()>& work) {
    const auto begin = std::chrono::steady_clock::now();
    const double used = processorSeconds();
    work();
    return {std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(),
            processorSeconds() - used};
}

base::Bytes peakResident() {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss * base::kKiB;
}

void say(const char* what, const std::filesystem::path& file, std::int64_t events, const Times& time) {
    const auto bytes = static_cast<base::Bytes>(std::filesystem::file_size(file));
    fmt::print(
        "{:<28} {:>8} {:>7} events {:>6.2f} s, processor {:>6.2f} s: {:>5.0f} MB/s {:>6.2f} million "
        "events/s\n",
        what, base::formatBytes(bytes), base::formatCount(events), time.clock, time.processor,
        static_cast<double>(bytes) / time.processor / 1e6,
        static_cast<double>(events) / time.processor / 1e6);
}

void must(const base::Status& status) {
    if (status) {
        return;
    }
    fmt::print(stderr, "{}\n", status.error().message);
    std::exit(1);
}

void writing(const std::filesystem::path& folder, std::size_t events) {
    const memory::Trace trace = test::randomTrace(1, {.events = events, .layers = 200, .steps = 20});
    const auto count = static_cast<std::int64_t>(trace.events.size());
    const std::tuple<const char*, capture::Format, const char*> formats[] = {
        {"write a snapshot", capture::Format::Snapshot, "own.pickle"},
        {"write a Chrome trace", capture::Format::Chrome, "own.json"},
        {"write CSV", capture::Format::Csv, "own.csv"}};
    for (const auto& [what, format, name] : formats) {
        const auto file = folder / name;
        const Times time = timed([&] { must(capture::write(trace, format, file)); });
        say(what, file, count, time);
    }
    const auto file = folder / "own.pickle";
    std::int64_t read = 0;
    const Times time = timed([&] {
        const auto again = capture::readSnapshot(file);
        read = again ? again->allEvents : 0;
    });
    say("read our own snapshot", file, read, time);
}

void reading(const std::filesystem::path& folder, std::int64_t bytes, int depth) {
    const auto file = folder / "foreign.pickle";
    const std::int64_t events = bench::writeForeignSnapshot(file, bytes, depth);
    const base::Bytes before = peakResident();
    const Times looked = timed([&] {
        const auto info = capture::inspectSnapshot(file);
        must(info ? base::Status() : info.error());
    });
    say(fmt::format("inspect PyTorch's, {} frames", depth).c_str(), file, events, looked);
    const Times time = timed([&] {
        const auto trace = capture::readSnapshot(file);
        must(trace ? base::Status() : trace.error());
    });
    say(fmt::format("read PyTorch's, {} frames", depth).c_str(), file, events, time);
    const Times part = timed([&] {
        const auto trace = capture::readSnapshot(file, capture::Range{events / 2, 10000});
        must(trace ? base::Status() : trace.error());
    });
    say("read 10,000 events of it", file, events, part);
    fmt::print("{:<28} {} at most, {} before reading\n", "memory of this process",
               base::formatBytes(peakResident()), base::formatBytes(before));
}

}  // namespace
}  // namespace highwater

/// capture_bench [MEGABYTES]: size of the PyTorch snapshots to read, 1,000 by default. Rates are per
/// processor time.
int main(int argc, char** argv) {
    using namespace highwater;
    const std::int64_t megabytes = argc > 1 ? std::atoll(argv[1]) : 1000;
    const test::TemporaryFolder folder;
    reading(folder.path(), megabytes * 1'000'000, 60);
    reading(folder.path(), megabytes * 1'000'000, 8);
    writing(folder.path(), 1'000'000);
}
