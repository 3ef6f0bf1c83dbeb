#include "tests/gpu/kit/supervisor.h"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "core/base/file.h"
#include "core/engine/run/runner.h"
#include "tests/gpu/kit/document.h"
#include "tests/gpu/kit/process.h"
#include "tests/gpu/kit/resume.h"

namespace highwater::kit {

namespace {

/// The part, and when it ends, as a fraction of the total time.
struct Part {
    const char* name;
    double ends;
};
constexpr Part kParts[] = {{"experiments", 0.40}, {"ladders", 0.52},      {"oom", 0.62},
                           {"overhead", 0.72},    {"convolutions", 0.92}, {"timed convolutions", 0.97},
                           {"experiments", 1.0}};
constexpr double kGrace = 20;  ///< seconds for work that has started
constexpr int kCrashes = 8;    ///< in one part; then the device is assumed to be broken

volatile sig_atomic_t gInterrupted = 0;

/// 0, or 4 if nothing was measured or nothing can be written.
int writeDocument(const Journal& journal, const Options& options, double seconds) {
    const Json document = documentOf(journal.read(), options, seconds);
    if (const auto status = base::writeFileAtomically(options.out, textOf(document)); !status) {
        say("gpu_kit: " + status.error().message);
        return 4;
    }
    const bool measured = std::any_of(document["experiments"].begin(), document["experiments"].end(),
                                      [](const Json& each) { return each.contains("result"); });
    return measured ? 0 : 4;
}

class Supervisor {
public:
    Supervisor(Options options, Journal journal)
        : options_(std::move(options)), journal_(std::move(journal)), start_(secondsNow()) {}

    int run() {
        const double all = 60 * options_.minutes;
        // Spinning threads would be very slow on a machine with other work; the user's setting takes
        // precedence.
        ::setenv("OMP_WAIT_POLICY", "PASSIVE", 0);
        start("environment", "", start_ + all);
        useWhatIsThere();
        if (!options_.continues.empty() && !goOn()) {
            return 2;
        }
        for (const Part& part : kParts) {
            if (gInterrupted || (!options_.only.empty() && part.name != std::string("experiments"))) {
                continue;
            }
            const double until = start_ + all * part.ends;
            if (part.name == std::string("experiments")) {
                experiments(until);
            } else {
                start(part.name, "", until);
            }
            write();
        }
        start("after", "", secondsNow() + 1);
        return write();
    }

private:
    /// Starts with the contents of an earlier file. Returns false, with a line that says why, if it is not
    /// for this device.
    bool goOn() {
        Json environment;
        for (const Json& line : journal_.read()) {
            environment = line.value("environment", environment);
        }
        std::ifstream in(options_.continues);
        const auto lines = journalOf(Json::parse(in, nullptr, false), environment);
        if (!lines) {
            say(fmt::format("gpu_kit: --continue {}: {}", options_.continues, lines.error().message));
            return false;
        }
        for (const Json& line : *lines) {
            journal_.add(line);
        }
        return true;
    }

    /// The CPU if there is no GPU.
    void useWhatIsThere() {
        std::string there;
        for (const Json& line : journal_.read()) {
            if (line.contains("environment")) {
                there = line["environment"].value("device", "");
            }
        }
        if (there != "cpu" || options_.device == "cpu") {
            return;
        }
        say("no GPU can be used here: a rehearsal on the CPU, with smaller sizes");
        options_.device = "cpu";
    }

    /// Runs separate processes by process-wide settings; each gets time in proportion to its experiments.
    void experiments(double until) {
        const auto cases = allCases(scaleFor(options_.device), options_.quick);
        if (!cases) {
            return leaveOut(cases.error().message);
        }
        std::set<std::string> begun;
        for (const Json& line : journal_.read()) {
            if (line.contains("begin")) {
                begun.insert(line["begin"].get<std::string>());
            }
        }
        std::vector<std::pair<std::string, double>> processes;  // the words, and the number of experiments
        double all = 0;
        for (const Case& each : *cases) {
            if (begun.contains(each.name()) || (!options_.only.empty() && options_.only != each.name())) {
                continue;
            }
            const std::string words = processWords(each.experiment);
            auto process = std::find_if(processes.begin(), processes.end(),
                                        [&](const auto& other) { return other.first == words; });
            if (process == processes.end()) {
                process = processes.insert(processes.end(), {words, 0});
            }
            ++process->second;
            ++all;
        }
        const double from = secondsNow();
        double done = 0;
        for (std::size_t i = 0; i < processes.size() && !gInterrupted; ++i) {
            done += processes[i].second;
            start("experiments", processes[i].first, from + done / all * (until - from));
        }
    }

    /// Runs a part, again after each crash.
    void start(const std::string& part, const std::string& words, double until) {
        for (int crashes = 0; crashes <= kCrashes && !gInterrupted; ++crashes) {
            if (secondsNow() >= until) {
                return;
            }
            const double end = until + kGrace;
            std::vector<std::string> command = {"--part",    part,
                                                "--device",  options_.device,
                                                "--journal", journal_.path().string(),
                                                "--until",   fmt::format("{:.3f}", until),
                                                "--only",    options_.only,
                                                "--words",   words};
            if (options_.quick) {
                command.push_back("--quick");
            }
            say(fmt::format("{}{}", part, words.empty() ? "" : " with " + words));
            const auto problem = waitFor(startSelf(command), end);
            if (!problem) {
                return;
            }
            leaveOut(fmt::format("{}: the process measuring it ended early: {}", part, *problem));
            if (part != "experiments") {
                return;
            }
        }
    }

    void leaveOut(const std::string& what) {
        say("  " + what);
        journal_.add({{"left_out", what}});
    }

    int write() {
        const Json document = documentOf(journal_.read(), options_, secondsNow() - start_);
        const auto status = base::writeFileAtomically(options_.out, textOf(document));
        if (!status) {
            say("gpu_kit: " + status.error().message);
            return 4;
        }
        if (gInterrupted) {
            return 130;
        }
        const bool measured = std::any_of(document["experiments"].begin(), document["experiments"].end(),
                                          [](const Json& each) { return each.contains("result"); });
        return measured ? 0 : 4;
    }

    Options options_;
    Journal journal_;
    double start_;
};

void interrupted(int) {
    gInterrupted = 1;
}

}  // namespace

int supervise(const Options& options) {
    if (!options.only.empty()) {
        const auto cases = allCases(scaleFor(options.device), false);
        if (!cases) {
            say("gpu_kit: " + cases.error().message);
            return 2;
        }
        if (std::none_of(cases->begin(), cases->end(),
                         [&](const Case& each) { return each.name() == options.only; })) {
            say(fmt::format("gpu_kit: --only {}: there is no such experiment; --list prints them",
                            options.only));
            return 2;
        }
    }
    const std::filesystem::path journal = options.out + ".journal";
    std::error_code ignored;
    if (options.join) {
        return writeDocument(Journal(journal), options, 0);
    }
    std::filesystem::remove(journal, ignored);
    ::signal(SIGINT, interrupted);
    const int exit = Supervisor(options, Journal(journal)).run();
    if (exit == 0) {
        std::filesystem::remove(journal, ignored);
    }
    return exit;
}

}  // namespace highwater::kit
