#include "core/wire/patches.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <cerrno>
#include <chrono>
#include <cstring>

#include "core/base/process.h"
#include "core/base/text.h"
#include "core/stack/json/json.h"
#include "core/wire/engine_launch.h"
#include "core/wire/engine_process.h"

namespace highwater::wire {
namespace {

using base::Error;
using Clock = std::chrono::steady_clock;
using Patches = std::vector<SentPatch>;

constexpr std::size_t kLongestPatchLine = 1 << 20;
constexpr std::chrono::seconds kLookThrough{10};  ///< maximum time for one volume

/// The experiment as a file in the folder, which is removed again.
class ExperimentFile {
public:
    explicit ExperimentFile(const std::filesystem::path& folder)
        : path_(folder / "patches-experiment.json") {}
    ExperimentFile(const ExperimentFile&) = delete;
    ExperimentFile& operator=(const ExperimentFile&) = delete;
    ~ExperimentFile() {
        std::error_code ignored;
        std::filesystem::remove(path_, ignored);
    }
    const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
};

/// Collects patches from the engine's lines as they arrive.
class Taker {
public:
    explicit Taker(const PatchRequest& request) : request_(request) {}

    base::Status take(std::string_view part) {
        text_ += part;
        for (std::size_t end = text_.find('\n'); end != std::string::npos; end = text_.find('\n')) {
            HIGHWATER_TRY(line(text_.substr(0, end)));
            text_.erase(0, end + 1);
        }
        if (text_.size() > kLongestPatchLine) {
            return Error{"highwater-engine wrote a line that is too long to be a patch"};
        }
        return {};
    }
    /// All requested patches, after the engine ended successfully.
    base::Result<Patches> finish() {
        if (text_.empty() && patches_.size() == static_cast<std::size_t>(request_.count)) {
            return std::move(patches_);
        }
        return Error{fmt::format("highwater-engine made {} of {} patches and then stopped answering",
                                 patches_.size(), request_.count)};
    }

private:
    base::Status line(const std::string& text) {
        auto patch = HIGHWATER_TRY(
            base::prefixed("highwater-engine wrote an invalid patch", parsePatch(text, request_.folder)));
        const auto expected = request_.first + static_cast<std::int64_t>(patches_.size());
        if (patches_.size() >= static_cast<std::size_t>(request_.count)) {
            return Error{
                fmt::format("highwater-engine sent more than the {} requested patches", request_.count)};
        }
        if (patch.number != expected) {
            return Error{
                fmt::format("highwater-engine sent patch {} where {} was expected", patch.number, expected)};
        }
        patches_.push_back(std::move(patch));
        if (request_.progress) {
            request_.progress(static_cast<int>(patches_.size()));
        }
        return {};
    }

    const PatchRequest& request_;
    std::string text_;
    Patches patches_;
};

base::Status checkRequest(const PatchRequest& request) {
    if (request.count < 1 || request.count > kMostPatches) {
        return Error{
            fmt::format("{} patches at a time are not possible; give 1 to {}", request.count, kMostPatches)};
    }
    if (request.first < 0) {
        return Error{fmt::format("there is no patch {}; the first is 0", request.first)};
    }
    std::error_code ignored;
    if (!std::filesystem::is_directory(request.folder, ignored)) {
        return Error{fmt::format("{}: there is no such folder", request.folder.string())};
    }
    return {};
}

/// Whether to keep waiting for the engine.
base::Status mayGoOn(const PatchRequest& request, Clock::duration silence) {
    if (request.cancel != nullptr && request.cancel->load(std::memory_order_relaxed)) {
        return Error{"cancelled"};
    }
    const auto patience = request.timeout + kLookThrough * request.volumeFds.size();
    if (silence > patience) {
        return Error{fmt::format("highwater-engine made no progress for {} s", patience.count())};
    }
    return {};
}

Error failure(int code, int errors) {
    const std::string said = base::lastLine(errors, "highwater-engine");
    if (code > 128) {
        return {fmt::format("highwater-engine was ended by signal {}{}{}", code - 128,
                            said.empty() ? "" : ": ", said)};
    }
    return {said.empty() ? fmt::format("highwater-engine ended with exit code {}", code) : said};
}

base::Launch launchPatches(const PatchRequest& request, const std::filesystem::path& program,
                           const std::filesystem::path& experiment) {
    base::Launch launch;
    launch.program = program;
    launch.arguments = {
        "--experiment", experiment.string(),           "--patches", std::to_string(request.count),
        "--first",      std::to_string(request.first), "--out",     request.folder.string()};
    return launch;
}

}  // namespace

base::Result<Patches> makePatches(const PatchRequest& request) {
    HIGHWATER_TRY(checkRequest(request));
    const auto program = HIGHWATER_TRY(engineProgram(request.program));
    const ExperimentFile experiment(request.folder);
    HIGHWATER_TRY(stack::saveExperiment(request.experiment, experiment.path()));
    const auto volumes = HIGHWATER_TRY(ownCopies(request.volumeFds));
    const base::Descriptor errors(::memfd_create("highwater-errors", MFD_CLOEXEC));
    auto pipe = base::openPipe();
    if (errors.get() < 0 || !pipe) {
        return Error{fmt::format("no pipe to the engine: {}", std::strerror(errno))};
    }
    base::Launch launch = launchPatches(request, program, experiment.path());
    addVolumes(launch, volumes);
    launch.output = pipe->write.get();
    launch.errors = errors.get();
    auto process = HIGHWATER_TRY(base::Process::start(launch));
    pipe->write = base::Descriptor();
    Taker taker(request);
    const auto code = HIGHWATER_TRY(process.follow(
        pipe->read.get(), [&](std::string_view part) { return taker.take(part); },
        [&](Clock::duration silence) {
            base::boundErrors(errors.get());
            return mayGoOn(request, silence);
        }));
    return code == 0 ? taker.finish() : base::Result<Patches>(failure(code, errors.get()));
}

}  // namespace highwater::wire
