// Linked into every test program. It restores the process state that a case changes (environment, current
// folder, locale), so that the cases of a program do not depend on each other. The program also does not
// depend on what was measured or asked on this machine: it has its own empty data folder and its own
// temporary folder, so that it can run twice at the same time. It also records why a case was skipped, and
// the resources it used.
#include <ftw.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <clocale>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>

namespace {

using Environment = std::map<std::string, std::string>;

Environment environment() {
    Environment values;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string text = *entry;
        const std::size_t equals = text.find('=');
        values.emplace(text.substr(0, equals), equals == std::string::npos ? "" : text.substr(equals + 1));
    }
    return values;
}

void restore(const Environment& wanted) {
    for (const auto& [name, value] : environment()) {
        if (!wanted.contains(name)) {
            unsetenv(name.c_str());
        }
    }
    for (const auto& [name, value] : wanted) {
        const char* now = std::getenv(name.c_str());
        if (now == nullptr || value != now) {
            setenv(name.c_str(), value.c_str(), 1);
        }
    }
}

/// getcwd and chdir, because LibTorch wheels export parts of std::filesystem that do not match the
/// compiler's.
struct Surroundings {
    Environment variables = environment();
    std::array<char, 4096> folder{};
    bool hasFolder = getcwd(folder.data(), folder.size()) != nullptr;
    std::string locale = std::setlocale(LC_ALL, nullptr);

    void restoreAll() const {
        restore(variables);
        if (hasFolder && chdir(folder.data()) != 0) {
            std::abort();
        }
        std::setlocale(LC_ALL, locale.c_str());
    }
};

/// $XDG_DATA_HOME while the program runs, unless it was set by the caller, and the result of TempDir().
class OwnFolders {
public:
    OwnFolders() {
        made_ = mkdtemp(path_.data()) != nullptr;
        if (made_) {
            const std::string data = path_ + "/data";
            mkdir(data.c_str(), 0700);
            setenv("XDG_DATA_HOME", data.c_str(), 0);
            setenv("TEST_TMPDIR", path_.c_str(), 1);
        }
    }
    void remove() const {
        if (made_) {
            const auto each = [](const char* path, const struct stat*, int, struct FTW*) {
                ::remove(path);
                return 0;
            };
            nftw(path_.c_str(), each, 16, FTW_DEPTH | FTW_PHYS);
        }
    }

private:
    std::string path_ = ::testing::TempDir() + "highwater-test-XXXXXX";  // mkdtemp fills in the end
    bool made_ = false;
};

/// Of this process and of the child processes that it waited for.
double processorSeconds() {
    double seconds = 0;
    for (const int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
        rusage used{};
        getrusage(who, &used);
        for (const timeval& time : {used.ru_utime, used.ru_stime}) {
            seconds += static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
        }
    }
    return seconds;
}

class Isolation : public ::testing::EmptyTestEventListener {
    void OnTestProgramEnd(const ::testing::UnitTest&) override { folders_.remove(); }
    void OnTestSuiteStart(const ::testing::TestSuite&) override { suite_.emplace(); }
    void OnTestStart(const ::testing::TestInfo&) override {
        test_.emplace();
        used_ = processorSeconds();
    }
    /// These two are for tests/summary, because the JSON results do not contain them.
    void OnTestPartResult(const ::testing::TestPartResult& part) override {
        if (part.skipped()) {
            ::testing::Test::RecordProperty("skipped_because", part.message());
        }
    }
    void OnTestEnd(const ::testing::TestInfo&) override {
        ::testing::Test::RecordProperty("processor_seconds", std::to_string(processorSeconds() - used_));
        test_->restoreAll();
    }
    void OnTestSuiteEnd(const ::testing::TestSuite&) override { suite_->restoreAll(); }

    OwnFolders folders_;  // constructed before the state that is restored after a case
    std::optional<Surroundings> suite_, test_;
    double used_ = 0;
};

const bool appended = [] {
    // No test asks a cuDNN that happens to be installed; tests of cuDNN set their own.
    setenv("HIGHWATER_CUDNN", "off", 1);
    ::testing::UnitTest::GetInstance()->listeners().Append(new Isolation);
    return true;
}();

}  // namespace
