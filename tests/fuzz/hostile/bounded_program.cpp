#include "tests/fuzz/hostile/bounded_program.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace highwater::fuzz {

namespace {

std::string textOf(const std::filesystem::path& path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
}

}  // namespace

bool boundsMemory() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    return false;
#else
    return true;
#endif
}

BoundedEnd runBounded(const std::string& program, const std::vector<std::string>& arguments,
                      const std::filesystem::path& folder, std::uint64_t addressSpace) {
    const std::filesystem::path out = folder / ".stdout", err = folder / ".stderr";
    std::string path = (std::filesystem::path(HIGHWATER_BIN_DIR) / program).string();
    std::vector<std::string> words = arguments;
    std::vector<char*> argv{path.data()};
    for (std::string& word : words) {
        argv.push_back(word.data());
    }
    argv.push_back(nullptr);
    const pid_t child = ::fork();
    if (child < 0) {
        throw std::runtime_error("no process for " + path);
    }
    if (child == 0) {
        const int to = ::open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
        const int errors = ::open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
        ::dup2(to, STDOUT_FILENO);
        ::dup2(errors, STDERR_FILENO);
        const rlimit none{0, 0}, most{addressSpace, addressSpace};
        ::setrlimit(RLIMIT_CORE, &none);
        if (boundsMemory()) {
            ::setrlimit(RLIMIT_AS, &most);
        }
        ::setenv("HOME", folder.c_str(), 1);
        if (::chdir(folder.c_str()) == 0) {
            ::execv(path.c_str(), argv.data());
        }
        ::_exit(127);
    }
    int status = 0;
    rusage used{};
    ::wait4(child, &status, 0, &used);
    BoundedEnd end;
    end.exit = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    end.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    end.out = textOf(out);
    end.err = textOf(err);
    end.peakBytes = static_cast<std::int64_t>(used.ru_maxrss) * 1024;
    return end;
}

}  // namespace highwater::fuzz
