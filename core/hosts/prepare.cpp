#include "core/hosts/prepare.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/base/descriptor.h"
#include "core/base/file.h"
#include "core/base/paths.h"
#include "core/base/text.h"
#include "core/hosts/scripts.h"

namespace highwater::hosts {

namespace {

constexpr std::size_t kIdLength = 16;

base::Status sendSource(const Host& host, const EngineSource& source,
                        const std::function<void(std::string_view)>& progress,
                        const std::atomic<bool>* cancel) {
    const base::Descriptor archive(::open(source.archive.c_str(), O_RDONLY | O_CLOEXEC));
    if (archive.get() < 0) {
        return base::Error{fmt::format("{}: {}", source.archive.string(), std::strerror(errno))};
    }
    std::error_code ignored;
    progress(fmt::format(
        "sending the engine's source, {}",
        base::formatBytes(static_cast<base::Bytes>(std::filesystem::file_size(source.archive, ignored)))));
    const auto done = HIGHWATER_TRY(runThere(
        host, unpackCommand(source.id), archive.get(), [](std::string_view) { return true; }, cancel));
    return done.exitCode == 0 ? base::Status()
                              : base::Error{fmt::format("host {}: the engine's source cannot be unpacked: {}",
                                                        host.name, done.errors)};
}

}  // namespace

base::Result<EngineSource> engineSource() {
    const EngineSource none{base::siblingProgram("engine-source.tar.gz"), ""};
    const auto id = base::readFile(base::siblingProgram("engine-source.id"), 1024);
    const std::string digits = id ? id->substr(0, kIdLength) : "";
    const bool good = digits.size() == kIdLength && std::all_of(digits.begin(), digits.end(), [](char c) {
                          return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
                      });
    if (none.archive.empty() || !good) {
        return base::Error{
            fmt::format("engine-source.tar.gz, which is sent to hosts, is not beside this program in "
                        "{}; install it there",
                        base::programFolder().string())};
    }
    return EngineSource{none.archive, digits};
}

std::string startCommand(const EngineSource& source) {
    return becomeHostCommand(source.id);
}

base::Status prepareThere(const Host& host, const HostFacts& facts,
                          const std::function<void(std::string_view)>& progress,
                          const std::atomic<bool>* cancel) {
    const auto source = HIGHWATER_TRY(engineSource());
    if (facts.ready && facts.readyPython == host.python) {
        return {};
    }
    if (const std::string missing = missingThere(host, facts); !missing.empty()) {
        return base::Error{missing};
    }
    if (!facts.source) {
        HIGHWATER_TRY(sendSource(host, source, progress, cancel));
    }
    std::string failed;
    bool ready = false;
    const auto line = [&](std::string_view text) {
        constexpr std::string_view kFailed = "highwater-failed ";
        if (text == "highwater-ready") {
            ready = true;
        } else if (text.starts_with(kFailed)) {
            failed = base::oneLine(text.substr(kFailed.size()), 300);
        } else {
            progress(base::oneLine(text, 200));
        }
        return true;
    };
    const auto built = HIGHWATER_TRY(runScript(host, kBuildScript, {source.id, host.python}, line, cancel));
    if (ready) {
        return {};
    }
    return base::Error{fmt::format("host {}: the engine was not built: {}; the log is {}/{}/build.log there",
                                   host.name, failed.empty() ? built.errors : failed, facts.cache,
                                   source.id)};
}

}  // namespace highwater::hosts
