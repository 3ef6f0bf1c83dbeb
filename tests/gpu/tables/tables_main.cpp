#include <iostream>

#include "tests/gpu/tables/tables.h"

int main(int argc, char** argv) {
    if (argc != 3) {
        std::cerr << "usage: gpu_tables REFERENCE_FOLDER RESOURCES_FOLDER\n";
        return 2;
    }
    const auto said = highwater::reference::makeTables(argv[1], argv[2]);
    if (!said) {
        std::cerr << "gpu_tables: " << said.error().message << '\n';
        return 2;
    }
    for (const std::string& line : *said) {
        std::cout << line << '\n';
    }
    return 0;
}
