#include <chrono>
#include <cstdio>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include "app/scan/commands.h"
#include "core/base/json_reader.h"
#include "core/base/program.h"
#include "core/base/text.h"
#include "core/scan/reader/dicom/header.h"
#include "core/scan/reader/reader.h"
#include "core/volume/volume_header.h"

namespace {

using namespace highwater;
using base::Json;
using Clock = std::chrono::steady_clock;

constexpr const char* kUsage =
    "highwater-scan is started by highwater and highwater-cli.\n"
    "  highwater-scan read [--out-fd N] [--series ID] [--volume N] [--address-space BYTES] -- PATH\n"
    "  highwater-scan list [--address-space BYTES] -- PATH\n"
    "  highwater-scan header [--series ID] [--volume N] [--slice N] [--address-space BYTES] -- PATH\n"
    "  highwater-scan phantom [--seed N] -- PATH\n"
    "It writes JSON lines: progress, then {\"header\": ...}, {\"contents\": ...}, {\"file_header\": ...},\n"
    "{\"done\": true} or {\"error\": \"...\"}.\n";

constexpr std::size_t kMostError = 5000;  // bytes; a path may have 4096

/// Writes a JSON line. Paths may contain any bytes, so invalid UTF-8 is replaced.
void writeLine(const Json& json) {
    std::puts(base::jsonText(json).c_str());
    std::fflush(stdout);
}

/// Writes at most about 30 progress lines per second, but always a new stage and its end.
class ProgressLines {
public:
    void operator()(std::string_view stage, double fraction) {
        const auto now = Clock::now();
        if (stage == stage_ && fraction < 1 && now - last_ < std::chrono::milliseconds(33)) {
            return;
        }
        stage_ = stage;
        last_ = now;
        writeLine(Json{{"stage", stage}, {"fraction", fraction}});
    }

private:
    std::string stage_;
    Clock::time_point last_{};
};

int fail(const std::string& message) {
    writeLine(Json{{"error", base::oneLine(message, kMostError)}});
    return 2;
}

int phantom(const scan::Arguments& arguments, const scan::reader::ProgressSink& progress) {
    const auto status = scan::reader::writePhantomFile(arguments.path, arguments.seed, progress);
    if (!status) {
        return fail(status.error().message);
    }
    writeLine(Json{{"done", true}});
    return 0;
}

int list(const scan::Arguments& arguments, const scan::reader::ProgressSink& progress) {
    const auto contents = scan::listContents(arguments.path, progress);
    if (!contents) {
        return fail(contents.error().message);
    }
    writeLine(Json{{"contents", scan::toJson(*contents)}});
    return 0;
}

int header(const scan::Arguments& arguments, const scan::reader::ProgressSink& progress) {
    const auto slice = arguments.slice < 0 ? std::nullopt : std::optional(arguments.slice);
    const auto found =
        scan::reader::readDicomHeader(arguments.path, arguments.series, arguments.volume, slice, progress);
    if (!found) {
        return fail(found.error().message);
    }
    writeLine(Json{{"file_header", scan::toJson(*found)}});
    return 0;
}

int read(const scan::Arguments& arguments, const scan::reader::ProgressSink& progress) {
    scan::reader::Request request;
    request.path = arguments.path;
    request.series = arguments.series;
    request.volume = arguments.volume;
    request.out = static_cast<int>(arguments.outFd);
    const auto header = scan::reader::readScanFile(request, progress);
    if (!header) {
        return fail(header.error().message);
    }
    writeLine(Json{{"header", volume::toJson(*header)}});
    return 0;
}

int run(const scan::Arguments& arguments) {
    ProgressLines lines;
    const auto progress = [&](std::string_view stage, double fraction) { lines(stage, fraction); };
    return arguments.command == "phantom"  ? phantom(arguments, progress)
           : arguments.command == "list"   ? list(arguments, progress)
           : arguments.command == "header" ? header(arguments, progress)
                                           : read(arguments, progress);
}

}  // namespace

int main(int argc, char** argv) {
    base::beginProgram();
    const auto arguments = scan::parseArguments(std::vector<std::string>(argv + 1, argv + argc));
    if (!arguments) {
        std::fputs(kUsage, stderr);
        return 2;
    }
    scan::limitProcess(arguments->addressSpace);
    const std::string name = scan::reader::fileName(arguments->path);
    try {
        return run(*arguments);
    } catch (const std::bad_alloc&) {
        return fail(name + ": needs more memory than the reader may take");
    } catch (const std::exception& error) {
        return fail(name + ": this file cannot be decoded: " + error.what());
    }
}
