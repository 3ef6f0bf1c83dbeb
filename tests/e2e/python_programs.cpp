#include "tests/e2e/python_programs.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

namespace highwater::e2e {

std::unique_ptr<PythonPrograms> PythonPrograms::start(const std::string& python,
                                                      const std::string& torchVersion) {
    int asked[2], told[2];
    if (!std::filesystem::exists(python) || ::pipe2(asked, O_CLOEXEC) != 0 || ::pipe2(told, O_CLOEXEC) != 0) {
        return nullptr;
    }
    std::unique_ptr<PythonPrograms> made(new PythonPrograms);
    made->python_ = python;
    made->pid_ = ::fork();
    if (made->pid_ == 0) {
        ::dup2(asked[0], 0);
        ::dup2(told[1], 1);
        ::dup2(::open("/dev/null", O_WRONLY), 2);  // its message without torch
        const char* const script = HIGHWATER_SOURCE_DIR "/tests/e2e/python_server.py";
        ::execl(python.c_str(), python.c_str(), script, nullptr);
        ::_exit(127);
    }
    ::close(asked[0]);
    ::close(told[1]);
    made->to_ = ::fdopen(asked[1], "w");
    made->from_ = ::fdopen(told[0], "r");
    return made->line().starts_with(torchVersion) ? std::move(made) : nullptr;
}

PythonPrograms::~PythonPrograms() {
    std::fclose(to_);
    std::fclose(from_);
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
}

std::string PythonPrograms::line() {
    char text[256]{};
    return std::fgets(text, sizeof text, from_) != nullptr ? text : "";
}

Finished PythonPrograms::run(const std::vector<std::string>& words, const std::filesystem::path& folder) {
    const nlohmann::json request = {
        {"argv", words}, {"out", folder / "python-stdout"}, {"err", folder / "python-stderr"}};
    std::fputs((request.dump() + "\n").c_str(), to_);
    std::fflush(to_);
    const std::string said = line();
    const int code = said.empty() ? 128 + SIGKILL : std::stoi(said);
    return {code < 0 ? 128 - code : code, textOf(folder / "python-stdout"), textOf(folder / "python-stderr")};
}

}  // namespace highwater::e2e
