#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/descriptor.h"
#include "core/base/result.h"

/// Programs that this one starts. No shell is involved.
namespace highwater::base {

/// A pipe, closed in programs that are started later.
struct Pipe {
    Descriptor read, write;
};
Result<Pipe> openPipe();

/// The last `most` bytes of a file; empty if it cannot be read.
std::string readTail(int fd, std::size_t most);

/// Empties the file that a program writes its stderr to once it is larger than 4 MiB: one that warns without
/// end must fill neither the disk nor, where the file has no name, the memory. Call it now and then.
void boundErrors(int fd);

/// The last line that a program wrote into the file, without "NAME: " before it; at most 400 characters.
std::string lastLine(int fd, std::string_view name);
/// The same of what it wrote.
std::string lastLine(std::string written, std::string_view name);

/// How a program is started.
struct Launch {
    /// A descriptor that the program gets under another number: 3 to 9.
    struct Handed {
        int fd = -1, number = -1;
    };
    std::filesystem::path program;
    std::vector<std::string> arguments;  ///< without the program's name
    int input = -1;                      ///< becomes stdin; -1: /dev/null
    int output = -1;                     ///< becomes stdout; -1: /dev/null
    int errors = -1;                     ///< becomes stderr; -1: /dev/null
    std::vector<int> inherited;          ///< stay open under their own numbers (above 2)
    std::optional<Handed> handed;        ///< all other descriptors are closed
    bool endsWithStarter = false;        ///< it is killed when the thread that starts it ends
    /// Called with the process id before the program begins; on an error, it never does.
    std::function<Status(int pid)> beforeItBegins;
};

/// A program that was started. It leads a session and a process group of its own; SIGPIPE is ignored in it,
/// all other signals are at their defaults. Not thread-safe.
class Process {
public:
    /// Error: the program cannot be executed ("PATH cannot be started: Permission denied"), or that of
    /// beforeItBegins.
    static Result<Process> start(const Launch& launch);
    Process() = default;
    Process(Process&& other) noexcept;
    Process& operator=(Process&& other) noexcept;
    /// Kills the program and those of its process group, unless release() was called or it has ended.
    ~Process();

    /// -1 once it has ended or was released.
    int pid() const { return pid_; }
    /// The exit code, or 128 + signal, once the program has ended; what is left of its process group is
    /// killed then. std::nullopt while it runs; -1 if the system no longer knows how it ended (SIGCHLD is
    /// ignored).
    std::optional<int> ended();
    void interrupt();  ///< sends SIGINT to the program
    void kill();       ///< sends SIGKILL to its process group
    void release();    ///< lets the program go on without this object

    using Take = std::function<Status(std::string_view)>;
    using Look = std::function<Status(std::chrono::steady_clock::duration)>;
    /// Waits for the end. `take` gets what arrives from `output`, the reading end of a pipe that the program
    /// writes to. `look` is called every 30 ms at the latest, with the time since the last output. An error
    /// of either ends the waiting (not the program) and is returned. The result is ended()'s.
    Result<int> follow(int output, const Take& take, const Look& look);

private:
    explicit Process(int pid) : pid_(pid) {}
    int pid_ = -1;
};

}  // namespace highwater::base
