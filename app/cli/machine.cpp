#include "app/cli/devices.h"

#include <sched.h>

#include <charconv>
#include <filesystem>
#include <thread>

#include "core/base/file.h"
#include "core/base/processor.h"

namespace highwater::cli {

namespace {

/// The value after "KEY" and a colon at the beginning of a line; empty if there is no such line.
std::string valueOf(const std::string& text, std::string_view key) {
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        const std::string_view line(text.data() + at, end - at);
        at = end + 1;
        if (!line.starts_with(key)) {
            continue;
        }
        const std::size_t colon = line.find(':');
        const std::size_t first =
            colon == std::string_view::npos ? colon : line.find_first_not_of(" \t", colon + 1);
        return first == std::string_view::npos ? "" : std::string(line.substr(first));
    }
    return {};
}

std::string textOf(const std::filesystem::path& path) {
    auto text = base::readFile(path);
    return text ? std::move(*text) : std::string();
}

/// Parses "16318480 kB".
base::Bytes kilobytes(const std::string& value) {
    base::Bytes number = 0;
    std::from_chars(value.data(), value.data() + value.size(), number);
    return number * base::kKiB;
}

int usableThreads() {
    cpu_set_t set;
    CPU_ZERO(&set);
    if (::sched_getaffinity(0, sizeof set, &set) == 0) {
        return CPU_COUNT(&set);
    }
    return static_cast<int>(std::thread::hardware_concurrency());
}

}  // namespace

Machine thisMachine() {
    Machine machine;
    machine.processor = base::processorName();
    machine.threads = usableThreads();
    machine.isa = base::instructionSet();
    const std::string memory = textOf("/proc/meminfo");
    machine.memory = kilobytes(valueOf(memory, "MemTotal"));
    machine.available = kilobytes(valueOf(memory, "MemAvailable"));
    return machine;
}

}  // namespace highwater::cli
