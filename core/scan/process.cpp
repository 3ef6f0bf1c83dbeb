#include "core/scan/process.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <cerrno>
#include <cstring>

#include "core/base/paths.h"
#include "core/base/process.h"
#include "core/base/text.h"
#include "core/scan/answer_lines.h"

namespace highwater::scan {
namespace {

using base::Json;
using Clock = std::chrono::steady_clock;

constexpr int kChildOut = 3;
constexpr std::size_t kMostError = 5000;  // bytes; a path may have 4096

base::Result<base::Process> start(const ProcessRequest& request, int output) {
    base::Launch launch;
    launch.program = request.program.empty() ? base::siblingProgram("highwater-scan") : request.program;
    if (launch.program.empty()) {
        return base::Error{"the program highwater-scan is missing beside this one; install Highwater again"};
    }
    launch.arguments = request.arguments;
    launch.output = output;
    if (request.out >= 0) {
        if (fcntl(request.out, F_GETFD) < 0) {
            return base::Error{
                fmt::format("the scan reader cannot be given its output file: {}", std::strerror(errno))};
        }
        launch.handed = {request.out, kChildOut};
    }
    auto process =
        HIGHWATER_TRY(base::prefixed("the scan reader cannot be started", base::Process::start(launch)));
    return process;
}

/// " while inflating", or empty before the first stage.
std::string stageText(const AnswerLines& lines) {
    return lines.stage().empty() ? "" : " while " + lines.stage();
}

base::Error failed(const ProcessRequest& request, const std::string& why) {
    return {fmt::format("{}: {}: the reader {}", request.name, request.failure, why)};
}

/// Whether to keep waiting for the reader.
base::Status mayGoOn(const ProcessRequest& request, const AnswerLines& lines, Clock::duration silence) {
    if (request.cancel && request.cancel->load(std::memory_order_relaxed)) {
        return base::Error{"cancelled"};
    }
    if (silence > request.timeout) {
        return failed(request,
                      fmt::format("made no progress for {} s{}", request.timeout.count(), stageText(lines)));
    }
    return {};
}

}  // namespace

base::Result<Json> runScanProcess(const ProcessRequest& request) {
    auto pipe = base::openPipe();
    auto process = HIGHWATER_TRY(base::prefixed(
        request.name, pipe ? start(request, pipe->write.get()) : base::Result<base::Process>(pipe.error())));
    pipe->write = base::Descriptor();
    AnswerLines lines(request.progress);
    const auto take = [&](std::string_view text) {
        lines.add(text);
        return lines.tooLong() ? base::Status(failed(request, "printed too much" + stageText(lines)))
                               : base::Status();
    };
    const auto code = HIGHWATER_TRY(process.follow(
        pipe->read.get(), take, [&](Clock::duration silence) { return mayGoOn(request, lines, silence); }));
    const auto& last = lines.last();
    if (last && last->contains("error") && (*last)["error"].is_string()) {
        return base::Error{base::oneLine((*last)["error"].get<std::string>(), kMostError)};
    }
    if (code > 128) {
        return failed(request, fmt::format("stopped{} (signal {})", stageText(lines), code - 128));
    }
    if (code != 0 || !last) {
        return failed(request, fmt::format("stopped{} (exit code {})", stageText(lines), code));
    }
    return *last;
}

}  // namespace highwater::scan
