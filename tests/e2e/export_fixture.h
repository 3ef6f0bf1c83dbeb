#pragma once

#include "tests/e2e/cli_fixture.h"

namespace highwater::e2e {

inline const std::string kSample = std::string(HIGHWATER_SOURCE_DIR) + "/resources/samples/sample.json";

class Export : public CliTest {
protected:
    Finished exported(std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), {"export", "pytorch"});
        return Program("highwater-cli", arguments, folder_.path()).wait();
    }
    std::string path(const std::string& name) const { return (folder_.path() / name).string(); }
    std::string read(const std::string& name) const {
        std::ifstream file(path(name));
        return {std::istreambuf_iterator<char>(file), {}};
    }
};

}  // namespace highwater::e2e
