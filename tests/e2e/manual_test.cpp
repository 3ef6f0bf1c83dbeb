#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "tests/e2e/cli_fixture.h"

namespace highwater::e2e {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// The contents of a command's `--help`.
struct Named {
    std::vector<std::string> path;  ///< "runs", "list"
    std::vector<std::string> options, commands;
};

class ManualTest : public CliTest {
protected:
    std::string helpOf(std::vector<std::string> path) {
        path.emplace_back("--help");
        return Program("highwater-cli", path, folder_.path()).wait().out;
    }

    /// Every command, the program itself first.
    void gather(const std::vector<std::string>& path, std::vector<Named>& to) {
        Named named{path, {}, {}};
        std::istringstream lines(helpOf(path));
        std::string part;
        for (std::string line; std::getline(lines, line);) {
            if (!line.empty() && line.front() != ' ') {
                part = line;
            } else if (part == "Options:" && line.starts_with("  -")) {
                std::istringstream names(line.substr(2, line.find(' ', 2) - 2));
                for (std::string name; std::getline(names, name, ',');) {
                    named.options.push_back(name);
                }
            } else if (part == "Subcommands:" && line.size() > 2 && line[2] != ' ') {
                named.commands.push_back(line.substr(2, line.find(' ', 2) - 2));
            }
        }
        to.push_back(named);
        for (const std::string& command : named.commands) {
            std::vector<std::string> inner = path;
            inner.push_back(command);
            gather(inner, to);
        }
    }

    std::string printed(const std::string& kind) {
        return Program("highwater-cli", {"manual", kind}, folder_.path()).wait().out;
    }

    /// What the completion offers after these words, the last of which is incomplete.
    std::vector<std::string> offered(const std::vector<std::string>& words) {
        const std::string folder = folder_.path().string(), out = folder + "/offered";
        std::ofstream script(folder + "/script");
        script << printed("bash") << "COMP_WORDS=(highwater-cli";
        for (const std::string& word : words) {
            script << " '" << word << "'";
        }
        script << ")\nCOMP_CWORD=" << words.size()
               << "\n_highwater_cli\nprintf '%s\\n' \"${COMPREPLY[@]}\"\n";
        script.close();
        EXPECT_EQ(std::system(("cd " + folder + " && bash -u script >" + out + " 2>&1").c_str()), 0);
        std::ifstream in(out);
        std::vector<std::string> lines;
        for (std::string line; std::getline(in, line);) {
            lines.push_back(line);
        }
        return lines;
    }
};

std::string withoutRoff(std::string text) {
    for (const char* mark : {"\\fB", "\\fI", "\\fR", "\\"}) {
        for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at)) {
            text.erase(at, std::string_view(mark).size());
        }
    }
    return text;
}

TEST_F(ManualTest, NamesEveryCommandAndOptionOnce) {
    std::vector<Named> all;
    gather({}, all);
    ASSERT_GT(all.size(), 30u);
    const std::string page = withoutRoff(printed("man"));
    for (const Named& named : all) {
        std::string name = "highwater-cli";
        for (const std::string& word : named.path) {
            name += " " + word;
        }
        const std::size_t at =
            named.path.empty() ? page.find(".SH OPTIONS") : page.find(".SS " + name + "\n");
        if (!named.commands.empty() && !named.path.empty()) {
            EXPECT_EQ(at, std::string::npos) << name << ": its commands stand there";
            continue;
        }
        ASSERT_NE(at, std::string::npos) << name;
        const std::string part = page.substr(at, page.find("\n.S", at + 4) - at);
        for (const std::string& option : named.options) {
            if (named.path.empty() || (option != "-h" && option != "--help")) {
                EXPECT_THAT(part, HasSubstr(option)) << name;
            }
        }
        EXPECT_FALSE(named.options.empty()) << name;
    }
    EXPECT_THAT(page, Not(HasSubstr("highwater-cli manual")));
}

TEST_F(ManualTest, TheCompletionOffersEveryCommandAndOption) {
    std::vector<Named> all;
    gather({}, all);
    for (const Named& named : all) {
        std::vector<std::string> words = named.path;
        words.emplace_back("-");
        auto options = offered(words), wanted = named.options;
        std::sort(options.begin(), options.end());
        std::sort(wanted.begin(), wanted.end());
        EXPECT_EQ(options, wanted) << (named.path.empty() ? "" : named.path.back());
        if (!named.commands.empty()) {
            words.back() = "";
            EXPECT_EQ(offered(words), named.commands);
        }
    }
}

TEST_F(ManualTest, TheCompletionKnowsChoicesAndFiles) {
    std::ofstream(folder_.path() / "a net.json") << "{}";
    EXPECT_EQ(offered({"predict", "a"}), std::vector<std::string>{"a net.json"});
    EXPECT_EQ(offered({"predict", "run", "a"}), std::vector<std::string>{"a net.json"}) << "no command here";
    EXPECT_EQ(offered({"report", "1", "--out", "a"}), std::vector<std::string>{"a net.json"});
    EXPECT_EQ(offered({"import", "nnunet", "--precision", "b"}), std::vector<std::string>{"bf16"});
    EXPECT_EQ(offered({"ru"}), (std::vector<std::string>{"run", "runs"}));
}

TEST_F(ManualTest, TroffTakesThePageWithoutAWarning) {
    if (std::system("command -v groff >/dev/null") != 0) {
        GTEST_SKIP() << "groff is not installed";
    }
    const std::string file = (folder_.path() / "page.1").string(), err = (folder_.path() / "err").string();
    std::ofstream(file) << printed("man");
    ASSERT_EQ(std::system(("groff -man -Tutf8 -k -ww " + file + " >/dev/null 2>" + err).c_str()), 0);
    std::ifstream in(err);
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), "");
}

TEST_F(ManualTest, AnotherKindIsRefused) {
    const Finished refused = Program("highwater-cli", {"manual", "fish"}, folder_.path()).wait();
    EXPECT_EQ(refused.exit, 2);
    EXPECT_THAT(refused.err, HasSubstr("fish"));
}

}  // namespace
}  // namespace highwater::e2e
