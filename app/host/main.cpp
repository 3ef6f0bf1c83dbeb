#include <csignal>
#include <cstdio>
#include <exception>
#include <string_view>

#include "app/host/place.h"
#include "core/base/program.h"
#include "core/base/text.h"

int main(int argc, char** argv) {
    highwater::base::beginProgram();
    std::signal(SIGPIPE, SIG_IGN);
    try {
        if (argc == 1) {
            return highwater::host_app::follow();
        }
        if (argc == 3 && std::string_view(argv[1]) == "--supervise") {
            return highwater::host_app::supervise(argv[2]);
        }
        if (argc == 4 && std::string_view(argv[1]) == "--task") {
            return highwater::host_app::superviseTask(argv[2], argv[3]);
        }
    } catch (const std::exception& error) {
        std::fprintf(stderr, "highwater-host: %s\n", highwater::base::oneLine(error.what(), 1000).c_str());
        return 4;
    }
    std::fprintf(
        stderr,
        "highwater-host: started by highwater and highwater-cli through ssh; it takes no arguments\n");
    return 2;
}
