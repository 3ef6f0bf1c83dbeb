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

/// Child processes. No shell is involved.
namespace highwater::base {

/// A pipe, closed in programs that are started later.
struct Pipe {
    Descriptor read, write;
};
Result<Pipe> openPipe();

/// The last `most` bytes of a file; empty if it cannot be read.
std::string readTail(int fd, std::size_t most);

/// Truncates the file that a program writes its stderr to once it is larger than 4 MiB: endless warnings must
/// fill neither the disk nor, for an unnamed file, the memory. Call it now and then.
void boundErrors(int fd);

/// The last line that a program wrote to the file, without "NAME: " in front; at most 400 characters.
std::string lastLine(int fd, std::string_view name);
/// The same for text that was already read.
std::string lastLine(std::string written, std::string_view name);

/// How a program is started.
struct Launch {
    /// A descriptor that the program gets under another number, from 3 to 9.
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
    /// Called with the process id before the program begins; on an error, the program never does.
    std::function<Status(int pid)> beforeItBegins;
};

/// A child process that was started. It leads its own session and process group; SIGPIPE is ignored in it,
/// all other signals are at their defaults. Not thread-safe.
class Process {
public:
    /// Error: the program cannot be executed ("PATH cannot be started: Permission denied"), or the error of
    /// beforeItBegins.
    static Result<Process> start(const Launch& launch);
    Process() = default;
    Process(Process&& other) noexcept;
    Process& operator=(Process&& other) noexcept;
    /// Kills the program's process group, unless release() was called or the program has ended.
    ~Process();

    /// -1 once it has ended or was released.
    int pid() const { return pid_; }
    /// The exit code, or 128 + signal, once the program has ended; the rest of its process group is then
    /// killed. std::nullopt while it runs; -1 if the system no longer knows how it ended (SIGCHLD is
    /// ignored).
    std::optional<int> ended();
    void interrupt();  ///< sends SIGINT to the program
    void kill();       ///< sends SIGKILL to its process group
    void release();    ///< the program continues without this object

    using Take = std::function<Status(std::string_view)>;
    using Look = std::function<Status(std::chrono::steady_clock::duration)>;
    /// Waits for the end. `take` gets the data that arrives from `output`, the read end of a pipe that the
    /// program writes to. `look` is called at least every 30 ms, with the time since the last output. An
    /// error from either ends the waiting (not the program) and is returned. Returns what ended() returns.
    Result<int> follow(int output, const Take& take, const Look& look);

private:
    explicit Process(int pid) : pid_(pid) {}
    int pid_ = -1;
};

}  // namespace highwater::base
