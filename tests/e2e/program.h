#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace highwater::e2e {

struct Finished {
    int exit = -1;  ///< 128 + signal if it was killed by one
    std::string out, err;
};

/// The whole text of a file; empty if it cannot be read.
std::string textOf(const std::filesystem::path& path);

/// A program of the build, started with these arguments, its output in files of `folder`.
class Program {
public:
    Program(const std::string& name, const std::vector<std::string>& arguments,
            const std::filesystem::path& folder);
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;
    ~Program();  ///< kills it if it is still running
    void signal(int number) const;
    Finished wait();
    std::string out() const;  ///< its output on stdout so far
    std::string err() const;  ///< the same of stderr
    int pid() const { return pid_; }

private:
    int pid_ = -1;
    std::filesystem::path out_, err_;
};

std::filesystem::path programPath(const std::string& name);
/// Why a test that needs both private programs cannot run here; empty if it can.
std::string missingPrograms();
/// The folder of real scans; empty if there is none.
std::filesystem::path scansFolder();

}  // namespace highwater::e2e
