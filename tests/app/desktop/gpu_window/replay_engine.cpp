// Replaces the engine in the window's tests of GPU runs: highwater-engine --run DIR ... records and reports a
// made-up GPU run. $HIGHWATER_REPLAY is a list of "out_of_memory", "host_bound", "throttled",
// "unknown_context" and "slow" (a step takes a quarter of a second).
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#include "core/runs/run_store.h"
#include "tests/core/wire/gpu_run.h"

using namespace highwater;

int main(int argc, char** argv) {
    std::string folder;
    for (int i = 1; i + 1 < argc; ++i) {
        if (std::string(argv[i]) == "--run") {
            folder = argv[i + 1];
        }
    }
    const char* named = std::getenv("HIGHWATER_REPLAY");
    const std::string how = named ? named : "";
    const auto asked = [&](const char* what) { return how.find(what) != std::string::npos; };
    auto writer = runs::RunWriter::open(folder);
    if (!writer) {
        std::fprintf(stderr, "%s\n", writer.error().message.c_str());
        return 2;
    }
    wire::test::GpuRun run;
    run.id = std::filesystem::path(folder).filename().string();
    run.outOfMemory = asked("out_of_memory");
    run.contextKnown = !asked("unknown_context");
    run.hostBound = asked("host_bound");
    run.throttled = asked("throttled");
    for (const wire::Event& event : wire::test::gpuRunEvents(run)) {
        if (!writer->append(event)) {
            return 4;
        }
        if (const auto* finished = std::get_if<wire::Finished>(&event);
            finished && !writer->finish(*finished->result)) {
            return 4;
        }
        std::fputs(wire::toLine(event).c_str(), stdout);
        std::fflush(stdout);
        if (asked("slow") && std::holds_alternative<wire::StepDone>(event)) {
            std::this_thread::sleep_for(std::chrono::milliseconds(250));
        }
    }
    return run.outOfMemory ? 3 : 0;
}
