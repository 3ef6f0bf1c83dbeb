// Replaces the engine in the tests of EngineProcess and makePatches. The file "behave" in the folder of the
// run (or patches) contains one command per line: print TEXT, raw TEXT (no newline), error TEXT, flood COUNT,
// long BYTES, fds, close, sleep MS, hang (until SIGINT: exit 130), stubborn (ignores SIGINT), signal N, mark
// FILE, exit CODE.
#include <dirent.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>

namespace {

volatile sig_atomic_t interrupted = 0;

void listOpenFiles() {
    std::string list;
    if (DIR* dir = ::opendir("/proc/self/fd")) {
        while (const dirent* entry = ::readdir(dir)) {
            if (entry->d_name[0] != '.' && std::atoi(entry->d_name) != ::dirfd(dir)) {
                list += std::string(entry->d_name) + " ";
            }
        }
        ::closedir(dir);
    }
    std::cout << R"({"event":"warning","message":")" << list << "\"}" << std::endl;
}

void obey(const std::string& command, const std::string& rest, const std::string& folder) {
    if (command == "print") {
        std::cout << rest << std::endl;
    } else if (command == "raw") {
        std::cout << rest << std::flush;
    } else if (command == "error") {
        std::cerr << rest << std::endl;
    } else if (command == "flood") {
        for (int i = std::stoi(rest); i > 0; --i) {
            std::cout << R"({"event":"warning","message":")" << i << "\"}\n";
        }
    } else if (command == "long") {
        std::cout << std::string(std::stoul(rest), 'x') << std::endl;
    } else if (command == "fds") {
        listOpenFiles();
    } else if (command == "close") {
        ::close(1);
    } else if (command == "sleep") {
        ::usleep(static_cast<useconds_t>(std::stoi(rest)) * 1000);
    } else if (command == "hang") {
        while (!interrupted) {
            ::usleep(5000);
        }
    } else if (command == "stubborn") {
        for (;;) {
            ::pause();
        }
    } else if (command == "signal") {
        ::raise(std::stoi(rest));
    } else if (command == "mark") {
        std::ofstream(folder + "/" + rest) << ::getpid() << " " << ::getsid(0) << std::endl;
    } else if (command == "exit") {
        std::_Exit((std::cout.flush(), std::stoi(rest)));
    }
}

}  // namespace

int main(int argc, char** argv) {
    ::signal(SIGINT, [](int) { interrupted = 1; });
    std::string folder, arguments;
    for (int i = 1; i < argc; ++i) {
        arguments += std::string(i > 1 ? " " : "") + argv[i];
        if ((std::string(argv[i]) == "--run" || std::string(argv[i]) == "--out") && i + 1 < argc) {
            folder = argv[i + 1];
        }
    }
    std::ofstream(folder + "/arguments") << arguments;
    std::ifstream behave(folder + "/behave");
    for (std::string line; std::getline(behave, line);) {
        const std::size_t space = line.find(' ');
        obey(line.substr(0, space), space == std::string::npos ? "" : line.substr(space + 1), folder);
    }
    return interrupted ? 130 : 0;
}
