#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/result.h"

/// Starts one of the project's programs. Private to core/wire.
namespace highwater::wire {

/// Owns a file descriptor; the destructor closes it.
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
    int output = -1;                     ///< descriptor that becomes stdout
    int errors = -1;                     ///< descriptor that becomes stderr
    std::vector<int>
        inherited;  ///< descriptors above 2 that stay open under their numbers; all others are closed
};

/// Duplicates the volumes' descriptors for a program of the project, with numbers above 2, so that they
/// cannot collide with its standard streams. Raises the limit of open files, for both programs, if necessary.
/// Error if there are too many, or with the number of the volume that cannot be duplicated.
base::Result<std::vector<Descriptor>> ownCopies(const std::vector<int>& fds);

/// Starts the program and returns its process id. It leads a new session, ignores SIGPIPE and has all other
/// signals at their defaults. Error, with the program's name, if it cannot be executed.
base::Result<int> spawn(const SpawnRequest& request);

}  // namespace highwater::wire
