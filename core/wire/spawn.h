#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/result.h"

/// Starting a program of ours. Private to core/wire.
namespace highwater::wire {

/// A file descriptor that closes itself.
class Descriptor {
public:
    Descriptor() = default;
    explicit Descriptor(int fd) : fd_(fd) {}
    Descriptor(Descriptor&& other) noexcept : fd_(other.release()) {}
    Descriptor& operator=(Descriptor&& other) noexcept;
    ~Descriptor();
    int get() const { return fd_; }
    int release();

private:
    int fd_ = -1;
};

struct SpawnRequest {
    std::filesystem::path program;
    std::vector<std::string> arguments;  ///< without the program's name
    int output = -1;                     ///< becomes stdout
    int errors = -1;                     ///< becomes stderr
    std::vector<int> inherited;          ///< stay open under their numbers (above 2); all others are closed
};

/// Copies of a volume's descriptors for a program of ours, with numbers above 2, so that they cannot collide
/// with its standard streams. The limit of open files is raised where it must be, for both programs. Errors
/// name the volume; too many of them.
base::Result<std::vector<Descriptor>> ownCopies(const std::vector<int>& fds);

/// The process id of the started program, the leader of a new session, with SIGPIPE ignored and all other
/// signals at their defaults. An error names the program where it cannot be executed.
base::Result<int> spawn(const SpawnRequest& request);

}  // namespace highwater::wire
