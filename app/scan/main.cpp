#include <charconv>
#include <chrono>
#include <cstdio>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include "app/scan/limits.h"
#include "core/base/json_reader.h"
#include "core/base/text.h"
#include "core/scan/reader/reader.h"
#include "core/volume/volume_header.h"

namespace {

using namespace highwater;
using base::Json;
using Clock = std::chrono::steady_clock;

constexpr const char* kUsage =
    "highwater-scan is started by highwater and highwater-cli.\n"
    "  highwater-scan read [--out-fd N] [--volume N] [--address-space BYTES] -- PATH\n"
    "  highwater-scan phantom [--seed N] -- PATH\n"
    "It writes JSON lines: progress, then {\"header\": ...}, {\"done\": true} or {\"error\": \"...\"}.\n";

struct Arguments {
    std::string command, path;
    std::int64_t outFd = -1, volume = 0, addressSpace = 0;
    std::uint64_t seed = 1;
};

template <class T>
bool parseNumber(std::string_view text, T& out) {
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), out);
    return failed == std::errc{} && end == text.data() + text.size();
}

std::optional<Arguments> parse(const std::vector<std::string>& words) {
    Arguments arguments;
    if (words.size() < 3 || words[words.size() - 2] != "--") {
        return std::nullopt;
    }
    arguments.command = words.front();
    arguments.path = words.back();
    bool ok = (words.size() - 3) % 2 == 0;
    for (std::size_t at = 1; ok && at + 2 < words.size(); at += 2) {
        const std::string& option = words[at];
        const std::string& value = words[at + 1];
        ok = option == "--out-fd"          ? parseNumber(value, arguments.outFd)
             : option == "--volume"        ? parseNumber(value, arguments.volume)
             : option == "--address-space" ? parseNumber(value, arguments.addressSpace)
             : option == "--seed"          ? parseNumber(value, arguments.seed)
                                           : false;
    }
    return ok ? std::optional(arguments) : std::nullopt;
}

/// Paths may hold any bytes; JSON may not.
void writeLine(const Json& json) {
    std::puts(json.dump(-1, ' ', false, Json::error_handler_t::replace).c_str());
    std::fflush(stdout);
}

/// At most about 30 lines a second, but always a new stage and its end.
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
    writeLine(Json{{"error", base::oneLine(message)}});
    return 2;
}

int run(const Arguments& arguments) {
    ProgressLines lines;
    const auto progress = [&](std::string_view stage, double fraction) { lines(stage, fraction); };
    if (arguments.command == "phantom") {
        const auto status = scan::reader::writePhantomFile(arguments.path, arguments.seed, progress);
        if (!status) {
            return fail(status.error().message);
        }
        writeLine(Json{{"done", true}});
        return 0;
    }
    const auto header = scan::reader::readScanFile(
        {arguments.path, arguments.volume, static_cast<int>(arguments.outFd)}, progress);
    if (!header) {
        return fail(header.error().message);
    }
    writeLine(Json{{"header", volume::toJson(*header)}});
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    const auto arguments = parse(std::vector<std::string>(argv + 1, argv + argc));
    if (!arguments || (arguments->command != "read" && arguments->command != "phantom")) {
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
