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

    /// What a shell offers for each of these lines, each of which ends with an incomplete word.
    std::vector<std::vector<std::string>> offered(const std::string& shell,
                                                  const std::vector<std::string>& lines) {
        const std::string folder = folder_.path().string();
        std::ofstream(folder + "/completion") << printed(shell);
        std::ofstream asked(folder + "/lines");
        for (const std::string& line : lines) {
            asked << line << "\n";
        }
        asked.close();
        const std::string command = "cd " + folder + " && " + shell +
                                    " " HIGHWATER_SOURCE_DIR "/tests/e2e/offered." + shell +
                                    " completion <lines >offered 2>&1";
        EXPECT_EQ(std::system(command.c_str()), 0);
        std::ifstream in(folder + "/offered");
        std::vector<std::vector<std::string>> all(1);
        for (std::string line; std::getline(in, line);) {
            if (line == "--") {
                all.emplace_back();
            } else {
                all.back().push_back(line);
            }
        }
        all.pop_back();  // what follows the last separator
        EXPECT_EQ(all.size(), lines.size()) << shell;
        all.resize(lines.size());
        return all;
    }

    std::vector<std::string> offered(const std::string& shell, const std::string& line) {
        return offered(shell, std::vector{"highwater-cli " + line}).front();
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

/// A shell with its completion.
class CompletionTest : public ManualTest, public ::testing::WithParamInterface<const char*> {
protected:
    void SetUp() override {
        if (std::system(("command -v " + shell() + " >/dev/null").c_str()) != 0) {
            GTEST_SKIP() << shell() << " is not installed";
        }
    }
    std::string shell() const { return GetParam(); }
};

INSTANTIATE_TEST_SUITE_P(Shells, CompletionTest, ::testing::Values("bash", "zsh", "fish"),
                         [](const auto& each) { return std::string(each.param); });

TEST_P(CompletionTest, OffersEveryCommandAndOption) {
    std::vector<Named> all;
    gather({}, all);
    std::vector<std::string> lines;
    std::vector<std::vector<std::string>> wanted;
    for (const Named& named : all) {
        std::string line = "highwater-cli ";
        for (const std::string& word : named.path) {
            line += word + " ";
        }
        lines.push_back(line + "-");
        wanted.push_back(named.options);
        if (!named.commands.empty()) {
            lines.push_back(line);
            wanted.push_back(named.commands);
        }
    }
    auto offers = offered(shell(), lines);
    for (std::size_t i = 0; i < lines.size(); ++i) {
        std::sort(offers[i].begin(), offers[i].end());
        std::sort(wanted[i].begin(), wanted[i].end());
        EXPECT_EQ(offers[i], wanted[i]) << lines[i];
    }
}

TEST_P(CompletionTest, KnowsChoicesAndFiles) {
    std::ofstream(folder_.path() / "a net.json") << "{}";
    using Words = std::vector<std::string>;
    EXPECT_EQ(offered(shell(), "predict a"), Words{"a net.json"});
    EXPECT_EQ(offered(shell(), "predict run a"), Words{"a net.json"}) << "no command here";
    EXPECT_EQ(offered(shell(), "report 1 --out a"), Words{"a net.json"});
    EXPECT_EQ(offered(shell(), "import nnunet --precision b"), Words{"bf16"});
    EXPECT_EQ(offered(shell(), "ru"), (Words{"run", "runs"}));
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
    const Finished refused = Program("highwater-cli", {"manual", "csh"}, folder_.path()).wait();
    EXPECT_EQ(refused.exit, 2);
    EXPECT_THAT(refused.err, HasSubstr("csh"));
}

}  // namespace
}  // namespace highwater::e2e
