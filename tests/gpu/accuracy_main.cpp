#include <iostream>

#include "core/base/file.h"
#include "tests/gpu/accuracy_page.h"

/// gpu_accuracy FOLDER PAGE: compares the predictor with every file in the folder and writes the page.
int main(int argc, char** argv) {
    using namespace highwater;
    if (argc != 3) {
        std::cerr << "usage: gpu_accuracy FOLDER PAGE\n";
        return 2;
    }
    const auto files = reference::loadReferences(argv[1]);
    if (!files) {
        std::cerr << "gpu_accuracy: " << files.error().message << '\n';
        return 2;
    }
    std::vector<reference::Comparison> comparisons;
    for (const reference::File& file : *files) {
        for (const bool asked : {true, false}) {
            if (asked && file.kind != reference::Kind::Gpu) {
                continue;
            }
            auto comparison = asked ? reference::compareAsked(file, std::filesystem::path(argv[1]) / "asked")
                                    : reference::compare(file);
            if (!comparison) {
                std::cerr << "gpu_accuracy: " << comparison.error().message << '\n';
                return 2;
            }
            for (const std::string& refused : comparison->refused) {
                std::cerr << "gpu_accuracy: " << file.name << ": " << refused << '\n';
            }
            comparisons.push_back(std::move(*comparison));
        }
    }
    if (const auto status = base::writeFileAtomically(argv[2], reference::accuracyPage(comparisons));
        !status) {
        std::cerr << "gpu_accuracy: " << status.error().message << '\n';
        return 2;
    }
    return 0;
}
