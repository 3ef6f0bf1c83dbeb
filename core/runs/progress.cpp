#include "core/runs/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "core/base/duration.h"
#include "core/base/file.h"
#include "core/base/process.h"
#include "core/base/statistics.h"
#include "core/base/text.h"
#include "core/runs/run_folder.h"

namespace highwater::runs {

namespace {

constexpr std::size_t kNewestSteps = 9;  ///< the newest steps show the current speed

/// The last `bytes` of the file, from the first whole line on.
std::string lastLines(const base::Descriptor& file, std::size_t bytes) {
    const std::string text = base::readTail(file.get(), bytes);
    return text.size() < bytes ? text : text.substr(std::min(text.find('\n'), text.size() - 1) + 1);
}

/// The newest steps' times; sets `done` to the number of steps.
std::vector<base::Millis> newest(std::string_view text, int& done) {
    std::vector<base::Millis> times;
    while (!text.empty() && times.size() < kNewestSteps) {
        const std::size_t before = text.find_last_of('\n', text.size() - 2);
        const std::size_t begin = text.size() < 2 || before == std::string_view::npos ? 0 : before + 1;
        const std::string_view line = text.substr(begin);
        text = text.substr(0, begin);
        if (line.find("\"step\"") == std::string_view::npos) {
            continue;
        }
        const auto event = wire::parseEvent(line);
        if (const auto* step = event ? std::get_if<wire::StepDone>(&*event) : nullptr) {
            done = std::max(done, step->index + 1);
            times.push_back(step->total);
        }
    }
    return times;
}

}  // namespace

std::optional<Progress> readProgress(const std::filesystem::path& runFolder) {
    const auto started = readStarted(runFolder);
    if (!started) {
        return std::nullopt;
    }
    std::optional progress = Progress{0, started->steps + started->warmup, {}, started->warmup};
    const auto file = base::openRegular(runFolder / "events.jsonl");
    for (const std::size_t bytes : {std::size_t{256} << 10, std::size_t{8} << 20}) {
        const std::string text = file ? lastLines(*file, bytes) : std::string();
        const auto times = newest(text, progress->done);
        if (!times.empty()) {
            progress->left = base::timeLeft(times, progress->done, progress->of);
            break;
        }
    }
    return progress;
}

std::string stepText(const Progress& progress) {
    return base::stepInProgress(progress.done, progress.warmup, progress.of - progress.warmup);
}

std::string progressText(const Progress& progress) {
    const std::string text = stepText(progress);
    return progress.left ? text + fmt::format(", {} left", base::formatTimeLeft(*progress.left)) : text;
}

}  // namespace highwater::runs
