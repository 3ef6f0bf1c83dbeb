#include "tests/e2e/program.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace highwater::e2e {

std::string textOf(const std::filesystem::path& path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
}

Program::Program(const std::string& name, const std::vector<std::string>& arguments,
                 const std::filesystem::path& folder) {
    static int count = 0;
    out_ = folder / ("stdout-" + std::to_string(++count));
    err_ = folder / ("stderr-" + std::to_string(count));
    const std::string program = programPath(name).string();
    std::vector<std::string> words = arguments;
    words.insert(words.begin(), program);
    std::vector<char*> argv;
    for (std::string& word : words) {
        argv.push_back(word.data());
    }
    argv.push_back(nullptr);
    const int out = ::open(out_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    const int err = ::open(err_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    pid_ = ::fork();
    if (pid_ == 0) {
        ::dup2(out, 1);
        ::dup2(err, 2);
        ::execv(program.c_str(), argv.data());
        ::_exit(127);
    }
    ::close(out);
    ::close(err);
    if (pid_ < 0) {
        throw std::runtime_error("no process for " + program);
    }
}

Program::~Program() {
    if (pid_ > 0) {
        ::kill(pid_, SIGKILL);
        ::waitpid(pid_, nullptr, 0);
    }
}

void Program::signal(int number) const {
    if (pid_ > 0) {
        ::kill(pid_, number);
    }
}

Finished Program::wait() {
    int status = 0;
    ::waitpid(pid_, &status, 0);
    pid_ = -1;
    return {WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status), textOf(out_), textOf(err_)};
}

std::string Program::out() const {
    return textOf(out_);
}

std::string Program::err() const {
    return textOf(err_);
}

std::filesystem::path programPath(const std::string& name) {
    return std::filesystem::path(HIGHWATER_BIN_DIR) / name;
}

std::string missingPrograms() {
    for (const char* name : {"highwater-engine", "highwater-scan"}) {
        if (!std::filesystem::exists(programPath(name))) {
            return std::string(name) + " is not built";
        }
    }
    return {};
}

std::filesystem::path scansFolder() {
    const char* named = std::getenv("HIGHWATER_SCANS");
    const std::filesystem::path folder =
        named && *named ? std::filesystem::path(named)
                        : std::filesystem::path(HIGHWATER_SOURCE_DIR) / ".." / "shared" / "scans";
    return std::filesystem::is_directory(folder) ? folder : std::filesystem::path();
}

}  // namespace highwater::e2e
