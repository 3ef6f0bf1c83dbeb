#include <dirent.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <malloc.h>
#include <unistd.h>

#include <QApplication>
#include <QBackingStore>
#include <QElapsedTimer>
#include <QPixmapCache>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>

#include "app/desktop/shell/main_window.h"
#include "tests/app/desktop/scan/scan_files.h"
#include "tests/app/desktop/soak/growth.h"
#include "tests/app/desktop/soak/monkey.h"
#include "tests/app/desktop/window_fixture.h"
#include "tests/widgets/qt_main.h"
#include "tests/widgets/wait_until.h"

namespace highwater::desktop {
namespace {

namespace fs = std::filesystem;
using highwater::test::Growth;
using highwater::test::growthOf;
using highwater::test::Monkey;
using highwater::test::waitUntil;

int entriesOf(const char* folder) {
    int count = 0;
    if (DIR* const dir = opendir(folder)) {
        while (readdir(dir)) {
            ++count;
        }
        closedir(dir);
    }
    return count - 3;  // ".", ".." and the one used for reading them
}

constexpr double kMib = 1 << 20;

/// The pixmaps that Qt keeps of hidden windows, lists and menus: one for each that was ever shown. They are
/// on the heap if there is no display; otherwise they are shared with the display server.
double hiddenPicturesMib() {
    if (QGuiApplication::platformName() != "offscreen") {
        return 0;
    }
    double bytes = 0;
    for (const QWidget* const w : QApplication::topLevelWidgets()) {
        if (const QBackingStore* const picture = w->isVisible() ? nullptr : w->backingStore()) {
            bytes += 4.0 * picture->size().width() * picture->size().height();
        }
    }
    return bytes / kMib;
}

/// The resources of the process at rest. Hidden pixmaps are not included in the allocated memory: there is at
/// most one for each window, and they are listed separately.
struct Held {
    double seconds = 0, residentMib = 0, allocatedMib = 0, picturesMib = 0, files = 0, threads = 0,
           widgets = 0;

    static Held now(double seconds) {
        malloc_trim(0);
        long pages = 0, resident = 0;
        std::ifstream("/proc/self/statm") >> pages >> resident;
        const auto heap = mallinfo2();
        const double pictures = hiddenPicturesMib();
        return {seconds,
                static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE)) / kMib,
                static_cast<double>(heap.uordblks + heap.hblkhd) / kMib - pictures,
                pictures,
                static_cast<double>(entriesOf("/proc/self/fd")),
                static_cast<double>(entriesOf("/proc/self/task") + 1),
                static_cast<double>(QApplication::allWidgets().size())};
    }
};

/// The existing windows, hidden ones too: to find out which widgets grow.
std::string windowsNow() {
    std::map<std::string, int> counts;
    for (const QWidget* const w : QApplication::topLevelWidgets()) {
        ++counts[w->metaObject()->className()];
    }
    std::string text;
    for (const auto& [name, count] : counts) {
        text += ' ' + name + ' ' + std::to_string(count);
    }
    return text;
}

/// Everything that this process and its children write to stderr, until read() is called.
class Stderr {
public:
    explicit Stderr(fs::path file) : file_(std::move(file)), before_(dup(STDERR_FILENO)) {
        std::fflush(stderr);
        const int to = open(file_.c_str(), O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0600);
        dup2(to, STDERR_FILENO);
        close(to);
    }
    std::string read() {
        std::fflush(stderr);
        if (before_ >= 0) {
            dup2(before_, STDERR_FILENO);
            close(before_);
            before_ = -1;
        }
        std::ifstream lines(file_);
        std::string said;
        for (std::string line; std::getline(lines, line);) {
            if (!highwater::testing::isHarmless(QString::fromStdString(line))) {
                said += line + '\n';
            }
        }
        return said;
    }
    ~Stderr() { read(); }

private:
    fs::path file_;
    int before_;
};

/// Random use of the window, for HIGHWATER_TEST_SOAK seconds with the seed HIGHWATER_TEST_SEED. Between
/// rounds it comes to rest and its resources are measured. tests/app/desktop/soak/monkey.h describes the
/// actions.
class SoakTest : public highwater::test::WindowFixture {
protected:
    static int numberIn(const char* variable, int otherwise) {
        const char* const text = std::getenv(variable);
        return text ? std::atoi(text) : otherwise;
    }
    void SetUp() override {
        WindowFixture::SetUp();
        qputenv("HOME", QByteArray::fromStdString((folder / "home").string()));
        using namespace highwater::test;
        const fs::path files = folder / "files";
        write(files / "small.nii", niftiOf({20, 18, 16}, 5));
        write(files / "flat.nii", niftiOf({64, 64, 1}, 5));
        write(files / "tall.nii", niftiOf({12, 12, 90}, 300));
        write(files / "two.nii", niftiOf({24, 24, 24}, 40, 2));
        write(files / "labels.nii", niftiOf({20, 18, 16}, 2));
        write(files / "broken.nii", niftiOf({20, 18, 16}, 2).substr(0, 700));
        writeSeries(files / "series", "1.2.3", 3, "T1 sag", 42);
        writeCohort(files / "cohort", 3);
        const auto presets = stack::loadPresets();
        ASSERT_TRUE(presets);
        for (const auto& preset : *presets) {
            ASSERT_TRUE(stack::saveExperiment(preset.experiment, files / (preset.id + ".json")));
        }
    }
};

TEST_F(SoakTest, HoldsNoMoreAfterAnHourThanAfterAMinute) {
    const int seconds = numberIn("HIGHWATER_TEST_SOAK", 0);
    if (seconds <= 0) {
        GTEST_SKIP() << "takes as many seconds as HIGHWATER_TEST_SOAK says, an hour for instance";
    }
    const auto seed = static_cast<unsigned>(numberIn("HIGHWATER_TEST_SEED", 1));
    std::ofstream log(folder.string() + ".log");
    log << "seed " << seed << '\n' << std::unitbuf;
    std::vector<Held> rests;
    int acts = 0;
    Stderr lines(folder / "stderr");
    // Qt's pixmap cache permanently keeps the name of each entry that it drops (120 bytes; seen in Qt 6.4).
    QPixmapCache::setCacheLimit(0);
    {
        openSmallPreset();
        MainWindow window(options, [] { return devices::GpusHere(); });
        window.show();
        window.open(options);
        Monkey monkey(window, folder / "files", seed);
        ASSERT_TRUE(waitUntil([&] { return !window.loading(); }));
        monkey.openEverything();
        ASSERT_TRUE(monkey.rest()) << monkey.stuck();
        QElapsedTimer clock;
        clock.start();
        const auto passed = [&] { return static_cast<double>(clock.elapsed()) / 1000; };
        while (passed() < seconds && !HasFailure()) {
            for (int i = 0; i < 25; ++i, ++acts) {
                log << monkey.act() << '\n';
            }
            ASSERT_TRUE(monkey.rest())
                << monkey.stuck() << ", after " << acts << " acts; see " << folder << ".log";
            rests.push_back(Held::now(passed()));
            const Held& h = rests.back();
            log << "rest " << h.seconds << " s: resident " << h.residentMib << " MiB, allocated "
                << h.allocatedMib << " MiB beside pictures of " << h.picturesMib << " MiB, " << h.files
                << " files, " << h.threads << " threads, " << h.widgets << " widgets;" << windowsNow()
                << "\n";
        }
    }
    EXPECT_EQ(lines.read(), "") << "after " << acts << " acts; see " << folder << ".log";
    std::printf("%d acts, %zu rests, seed %u\n", acts, rests.size(), seed);

    if (HasFailure()) {
        return;
    }
    // Data loaded once, and caches, are filled in the first fifth.
    rests.erase(rests.begin(), rests.begin() + static_cast<std::ptrdiff_t>(rests.size() / 5));
    const auto growth = [&](const char* name, const char* unit, double Held::* what) {
        std::vector<double> at, values;
        for (const Held& rest : rests) {
            at.push_back(rest.seconds);
            values.push_back(rest.*what);
        }
        const Growth g = growthOf(at, values);
        std::printf("%-10s %8.1f %s at first, %8.1f at last; %+.2f an hour (95 %% interval %+.2f to %+.2f)\n",
                    name, values.front(), unit, values.back(), g.perHour, g.low, g.high);
        return g;
    };
    const Growth resident = growth("resident", "MiB", &Held::residentMib);
    const Growth allocated = growth("allocated", "MiB", &Held::allocatedMib);
    const Growth pictures = growth("pictures", "MiB", &Held::picturesMib);
    const Growth files = growth("files", "", &Held::files);
    const Growth threads = growth("threads", "", &Held::threads);
    const Growth widgets = growth("widgets", "", &Held::widgets);
    if (seconds < 600) {
        return;  // a slope over a few rounds is meaningless
    }
    EXPECT_LT(resident.low, 8);
    EXPECT_LT(allocated.low, 1);
    EXPECT_LT(pictures.low, 1);
    EXPECT_LT(files.low, 1);
    EXPECT_LT(threads.low, 1);
    EXPECT_LT(widgets.low, 5);
}

}  // namespace
}  // namespace highwater::desktop
