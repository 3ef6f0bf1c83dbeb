#include <iostream>

#include "core/base/file.h"
#include "tests/gpu/public/public_page.h"

/// public_truth FOLDER PAGE: compares the predictor with every entry in the folder and writes the page.
int main(int argc, char** argv) {
    using namespace highwater;
    if (argc != 3) {
        std::cerr << "usage: public_truth FOLDER PAGE\n";
        return 2;
    }
    const auto entries = truth::loadEntries(argv[1]);
    if (!entries) {
        std::cerr << "public_truth: " << entries.error().message << '\n';
        return 2;
    }
    const truth::Comparison comparison = truth::compare(*entries);
    for (const std::string& refused : comparison.refused) {
        std::cerr << "public_truth: " << refused << '\n';
    }
    if (const auto status = base::writeFileAtomically(argv[2], truth::publicPage(comparison)); !status) {
        std::cerr << "public_truth: " << status.error().message << '\n';
        return 2;
    }
    return 0;
}
