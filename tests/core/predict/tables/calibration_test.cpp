#include "core/predict/tables/calibration.h"

#include <gmock/gmock.h>

#include <fstream>
#include <random>

#include "core/base/file.h"
#include "core/predict/convolutions/standard_convolutions.h"
#include "tests/core/temporary_folder.h"

namespace highwater::predict {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using Kind = OpEvent::Kind;

constexpr const char* kForward = "conv3d/f/n2/c16,32/i64,64,64/k3,3,3/s1,1,1/p1,1,1/d1,1,1/g1/b";
constexpr const char* kHeader =
    R"({"schema":"highwater.calibration/1","libtorch":"1.13.1","onednn":"2.7.3","isa":"avx2","threads":4})";

ConvKey key(const std::string& text) {
    const auto parsed = parseConvKey(text);
    EXPECT_TRUE(parsed) << text << ": " << parsed.error().message;
    return *parsed;
}

std::string whyNot(const std::string& text) {
    const auto parsed = parseConvKey(text);
    return parsed ? "a key" : parsed.error().message;
}

std::string whyNotRow(const std::string& row) {
    const auto table = parseCalibration(std::string(kHeader) + "\n" + row + "\n", "t.txt");
    return table ? "a table" : table.error().message;
}

TEST(ConvKeyText, SaysAllOfAConvolution) {
    const ConvKey a = key(kForward);
    EXPECT_EQ(a.dims, 3);
    EXPECT_EQ(a.inChannels, 16);
    EXPECT_EQ(a.outChannels, 32);
    EXPECT_EQ(a.output, (std::array<std::int64_t, 3>{64, 64, 64}));
    EXPECT_EQ(a.text(), kForward);
    // torch.nn.ConvTranspose2d's own example of sizes: (12 - 1) * 2 - 2 * 1 + (3 - 1) + 1 + 1 = 24.
    const ConvKey b = key("conv_transpose2d/b/n1/c4,6/i12,12/k3,3/s2,2/p1,1/d1,1/g2/o1,1/gi/gw/strided");
    EXPECT_EQ(b.output, (std::array<std::int64_t, 3>{24, 24, 1}));
    EXPECT_FALSE(b.bias);
    EXPECT_FALSE(b.gradientContiguous);
    const ConvKey c = key("conv1d/f/n1/c1,1/i10/k3/s2/p0/d4/g1/b/bf16/cl");
    EXPECT_EQ(c.output[0], 1);
    EXPECT_EQ(c.dtype, DType::BFloat16);
    EXPECT_TRUE(c.channelsLast);
    for (const ConvKey& each : standardConvolutions()) {
        EXPECT_EQ(key(each.text()), each);
    }
}

TEST(ConvKeyText, IsRefusedWithTheReason) {
    EXPECT_THAT(whyNot(""), HasSubstr("\"\" is not a convolution; an example is \"conv3d/f/n1"));
    EXPECT_THAT(whyNot("conv4d/f/n1/c1,1/i1/k1/s1/p0/d1/g1"), HasSubstr("is not a convolution"));
    EXPECT_THAT(whyNot(std::string(kForward) + "/x"), HasSubstr("is not a convolution"));
    EXPECT_THAT(whyNot("conv1d/f/n01/c1,1/i4/k1/s1/p0/d1/g1"), HasSubstr("is not a convolution"));
    EXPECT_THAT(whyNot("conv1d/f/n1/c1,1/i4,4/k1/s1/p0/d1/g1"), HasSubstr("is not a convolution"));
    EXPECT_THAT(whyNot("conv1d/f/n1/c1,1/i4/k1/s1/p0/d1/g1/gw"), HasSubstr("is not a convolution"));
    EXPECT_THAT(whyNot("conv1d/f/n1/c1,1/i4/k5/s1/p0/d1/g1"), HasSubstr("leave no output"));
    EXPECT_THAT(whyNot("conv1d/f/n1/c3,4/i4/k1/s1/p0/d1/g2"), HasSubstr("not a multiple of its groups"));
    EXPECT_THAT(whyNot("conv1d/f/n2147483647/c2147483647,1/i4/k1/s1/p0/d1/g1"), HasSubstr("too large"));
    EXPECT_THAT(whyNot("conv1d/f/n99999999999999999999/c1,1/i4/k1/s1/p0/d1/g1"),
                HasSubstr("not a convolution"));
}

TEST(StandardConvolutions, AreManyAndOfEachKind) {
    const std::vector<ConvKey> all = standardConvolutions();
    EXPECT_GT(all.size(), 1000U);
    EXPECT_LT(all.size(), 1600U);
    EXPECT_EQ(all, standardConvolutions());
    std::map<std::string, int> kinds;
    for (const ConvKey& each : all) {
        ++kinds[std::to_string(each.dims) + "d"];
        kinds["transposed"] += each.transposed;
        kinds["depthwise"] += each.groups > 1 && each.groups == each.inChannels;
        kinds["grouped"] += each.groups > 1 && each.groups < each.inChannels;
        kinds["dilated"] += each.dilation[0] > 1;
        kinds["strided gradient"] += !each.gradientContiguous;
        kinds["first layer"] += each.weightGradient && !each.inputGradient;
        kinds["forward"] += each.pass == ConvKey::Pass::Forward;
    }
    for (const auto& [kind, count] : kinds) {
        EXPECT_GT(count, 40) << kind;
    }
    EXPECT_EQ(kinds.size(), 10U);
}

Calibration randomTable(std::uint64_t seed) {
    std::mt19937_64 random(seed);
    Calibration table({"2.4.0", "off", "avx512", 1 + static_cast<int>(random() % 64)});
    table.machine = "Some \"processor\" \\ 3.0 GHz";
    table.speed = {
        1.5e12, 2.25e10, 0.75, {{"conv", {0.1, 0.2, 0.9}}}, {{"norm", {0, 0.5, 1}}, {"copy", {1, 1, 1}}}};
    const auto ops = standardConvolutions();
    for (int i = 0; i < 200; ++i) {
        OpRow row;
        row.microseconds = static_cast<double>(random() % 100000) / 100;
        std::vector<std::int64_t> alive;
        std::int64_t made = 0;
        for (int n = static_cast<int>(random() % 8); n > 0; --n) {
            row.events.push_back({Kind::Allocate, 1 + static_cast<std::int64_t>(random() % (1U << 30))});
            alive.push_back(made++);
            if (random() % 2 == 0) {
                row.events.push_back({Kind::Free, alive.back()});
                alive.pop_back();
            }
        }
        row.events.push_back({Kind::Result, 0});
        for (; !alive.empty(); alive.pop_back()) {
            row.events.push_back({Kind::Free, alive.back()});
        }
        table.add(ops[random() % ops.size()], row);
    }
    return table;
}

TEST(CalibrationText, ReadsBackWhatWasWritten) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        const Calibration table = randomTable(seed);
        const std::string text = writeCalibration(table);
        const auto read = parseCalibration(text, "t.txt");
        ASSERT_TRUE(read) << read.error().message;
        EXPECT_EQ(read->rows(), table.rows());
        EXPECT_EQ(read->key(), table.key());
        EXPECT_EQ(read->machine, table.machine);
        EXPECT_EQ(read->speed, table.speed);
        EXPECT_EQ(writeCalibration(*read), text);
    }
}

TEST(CalibrationText, HasOneRowALine) {
    const auto table = parseCalibration(
        std::string(kHeader) + "\n" + kForward + " 812.5 +4194304 +55296 -1 r0 -0\n", "t.txt");
    ASSERT_TRUE(table) << table.error().message;
    EXPECT_EQ(table->key(), (CpuKey{"1.13.1", "2.7.3", "avx2", 4}));
    const OpRow* const row = table->find(key(kForward));
    ASSERT_NE(row, nullptr);
    EXPECT_EQ(row->microseconds, 812.5);
    EXPECT_EQ(row->events, (std::vector<OpEvent>{{Kind::Allocate, 4194304},
                                                 {Kind::Allocate, 55296},
                                                 {Kind::Free, 1},
                                                 {Kind::Result, 0},
                                                 {Kind::Free, 0}}));
    EXPECT_EQ(highestTemporaries(*row), 4194304 + 55296);
    EXPECT_EQ(table->find(key("conv1d/f/n1/c1,1/i4/k1/s1/p0/d1/g1")), nullptr);
}

TEST(CalibrationText, ErrorsNameTheLine) {
    const std::string row = kForward;
    EXPECT_THAT(whyNotRow("conv/f 3 r0"), HasSubstr("t.txt: line 2: \"conv/f\" is not a convolution"));
    EXPECT_THAT(whyNotRow(row), HasSubstr("microseconds are needed"));
    EXPECT_THAT(whyNotRow(row + " nan r0"), HasSubstr("microseconds are needed"));
    EXPECT_THAT(whyNotRow(row + " -1 r0"), HasSubstr("microseconds are needed"));
    EXPECT_THAT(whyNotRow(row + " 1 +"), HasSubstr("\"+\": an event is"));
    EXPECT_THAT(whyNotRow(row + " 1 *4"), HasSubstr("\"*4\": an event is"));
    EXPECT_THAT(whyNotRow(row + " 1 +4x"), HasSubstr("an event is"));
    EXPECT_THAT(whyNotRow(row + " 1 +0 -0"), HasSubstr("1 B to 4 PiB"));
    EXPECT_THAT(whyNotRow(row + " 1 +9223372036854775807 +9223372036854775807"), HasSubstr("1 B to 4 PiB"));
    EXPECT_THAT(whyNotRow(row + " 1 -0"), HasSubstr("does not live"));
    EXPECT_THAT(whyNotRow(row + " 1 +4 -0 -0"), HasSubstr("does not live"));
    EXPECT_THAT(whyNotRow(row + " 1 +4 r0"), HasSubstr("is not freed"));
    EXPECT_THAT(whyNotRow(row + " 1 r1"), HasSubstr("no such result"));
    EXPECT_THAT(whyNotRow(row + " 1 r0 r0"), HasSubstr("twice"));
    EXPECT_THAT(whyNotRow(row + " 1 r0\n" + row + " 1 r0"),
                HasSubstr("line 3: this convolution already has a row"));

    const auto header = [](const std::string& text) {
        const auto table = parseCalibration(text, "t.txt");
        return table ? "a table" : table.error().message;
    };
    EXPECT_THAT(header(""), HasSubstr("t.txt: not valid JSON: line 1"));
    EXPECT_THAT(header(R"({"schema":"highwater.calibration/2"})"),
                HasSubstr(R"(/schema: must be "highwater.calibration/1")"));
    EXPECT_THAT(
        header(R"({"schema":"highwater.calibration/1","libtorch":"1","onednn":"2","isa":"a","threads":0})"),
        HasSubstr("/threads"));
    EXPECT_THAT(
        header(R"({"schema":"highwater.calibration/1","libtorch":"1","onednn":"2","isa":"a","threads":1,
        "speed":{}})"),
        HasSubstr("t.txt"));
    EXPECT_THAT(
        header(
            R"({"schema":"highwater.calibration/1","libtorch":"1","onednn":"2","isa":"a","threads":1,"speed":)"
            R"({"flops":1,"bytes_per_second":1,"overhead_us":1,"compute":{"conv":[0.5,0.4,1]},"memory":{}}})"),
        HasSubstr("three ascending numbers from 0 to 1"));
}

class CalibrationFiles : public ::testing::Test {
protected:
    void SetUp() override {
        for (const fs::path& folder : folders_) {
            fs::create_directories(folder);
        }
    }
    void put(const fs::path& folder, const CpuKey& key,
             std::initializer_list<std::pair<const char*, int>> rows) {
        Calibration table(key);
        table.machine = folder.filename().string();
        for (const auto& [op, bytes] : rows) {
            table.add(predict::parseConvKey(op).value(),
                      {{{Kind::Allocate, bytes}, {Kind::Result, 0}, {Kind::Free, 0}}, 1});
        }
        std::ofstream(folder / calibrationFileName(key)) << writeCalibration(table);
    }
    base::Bytes temporariesOf(const Calibration& table, const char* op) {
        const OpRow* const row = table.find(key(op));
        return row != nullptr ? highestTemporaries(*row) : -1;
    }
    static constexpr const char* kA = "conv1d/f/n1/c1,1/i4/k1/s1/p0/d1/g1";
    static constexpr const char* kB = "conv1d/f/n1/c1,1/i5/k1/s1/p0/d1/g1";
    const CpuKey key_{"1.13.1", "2.7.3", "avx2", 2};
    highwater::test::TemporaryFolder folder_;
    const std::vector<fs::path> folders_{folder_.path() / "own", folder_.path() / "program"};
};

TEST_F(CalibrationFiles, NamesSayTheKey) {
    EXPECT_EQ(calibrationFileName({"1.13.1", "2.7.3", "avx512", 2}),
              "libtorch-1.13.1_onednn-2.7.3_avx512_2.txt");
    EXPECT_EQ(calibrationFileName({"2.4.0+cu/../x", "off", "", 16}),
              "libtorch-2.4.0-cu-..-x_onednn-off_unknown_16.txt");
    EXPECT_EQ(keyOfFileName("libtorch-1.13.1_onednn-2.7.3_avx512_2.txt"),
              (CpuKey{"1.13.1", "2.7.3", "avx512", 2}));
    for (const char* other :
         {"", ".txt", "readme.txt", "libtorch-1_onednn-2_avx2_x.txt", "libtorch-1_onednn-2_3.txt",
          "libtorch-1_onednn-2_avx2_99999999999.txt", "libtorch-1_onednn-2_avx2_1"}) {
        EXPECT_EQ(keyOfFileName(other), std::nullopt) << other;
    }
}

TEST_F(CalibrationFiles, TheUsersRowsComeBeforeTheProgramsOwn) {
    put(folders_[0], key_, {{kA, 100}});
    put(folders_[1], key_, {{kA, 999}, {kB, 200}});
    const auto table = loadCalibration(key_, folders_);
    ASSERT_TRUE(table) << table.error().message;
    EXPECT_EQ(table->size(), 2U);
    EXPECT_EQ(temporariesOf(*table, kA), 100);
    EXPECT_EQ(temporariesOf(*table, kB), 200);
    EXPECT_EQ(table->machine, "own");
    EXPECT_EQ(table->key(), key_);
}

TEST_F(CalibrationFiles, AnotherMachinesTableIsNoTableButWhatGuessesComeFrom) {
    CpuKey sameSet = key_, otherSet = key_;
    sameSet.threads = 8, otherSet.isa = "avx512";
    put(folders_[1], otherSet, {{kA, 1'000'000}});
    const Estimate far = loadCalibration(key_, folders_)->guess(key(kA));
    put(folders_[1], sameSet, {{kA, 500'000}});
    const auto table = loadCalibration(key_, folders_);
    ASSERT_TRUE(table);
    EXPECT_EQ(table->size(), 0U);
    EXPECT_EQ(table->key(), key_);
    const Estimate near = table->guess(key(kA));
    EXPECT_NEAR(static_cast<double>(near.expected), 500'000, 1);
    EXPECT_LT(near.low, 500'000 / 2);
    EXPECT_GT(near.high, 2 * 500'000);
    EXPECT_NEAR(static_cast<double>(far.expected), 1'000'000, 1);
    EXPECT_GT(far.high, 4 * 1'000'000);
    EXPECT_LT(near.high, far.high);
}

TEST_F(CalibrationFiles, WithoutAnyTableAGuessIsWide) {
    const auto table = loadCalibration(key_, folders_);
    ASSERT_TRUE(table);
    const Estimate guess = table->guess(key(kForward));
    EXPECT_EQ(guess.low, 0);
    // All columns of LibTorch's own kernel: 16 * 27 * 64^3 * 4 B.
    EXPECT_GT(guess.high, std::int64_t{16} * 27 * 64 * 64 * 64 * 4);
    EXPECT_GT(guess.expected, 0);
}

TEST_F(CalibrationFiles, ATableThatCannotBeReadIsSaid) {
    std::ofstream(folders_[0] / calibrationFileName(key_)) << kHeader << "\nnonsense\n";
    const auto broken = loadCalibration(key_, folders_);
    ASSERT_FALSE(broken);
    EXPECT_THAT(broken.error().message, HasSubstr((folders_[0] / calibrationFileName(key_)).string()));
    EXPECT_THAT(broken.error().message, HasSubstr("line 2: \"nonsense\" is not a convolution"));
    std::ofstream(folders_[0] / calibrationFileName(key_)) << kHeader << "\n";
    const auto renamed = loadCalibration(key_, folders_);
    ASSERT_FALSE(renamed);
    EXPECT_THAT(renamed.error().message, HasSubstr("another machine than its name says"));
}

/// The tables shipped with the program: the files, and the contents of each.
std::vector<Calibration> committedTables() {
    std::vector<Calibration> tables;
    for (const auto& file :
         fs::directory_iterator(fs::path(HIGHWATER_SOURCE_DIR) / "resources" / "calibration")) {
        if (file.is_directory()) {
            continue;  // those of GPUs
        }
        const auto text = base::readFile(file.path());
        auto table = parseCalibration(text.value(), file.path().string());
        EXPECT_TRUE(table) << table.error().message;
        EXPECT_EQ(calibrationFileName(table->key()), file.path().filename().string());
        tables.push_back(std::move(*table));
    }
    return tables;
}

TEST(CommittedCalibration, HasRowsForAllStandardConvolutionsAndSpeeds) {
    const auto tables = committedTables();
    ASSERT_GE(tables.size(), 2U);
    for (const Calibration& table : tables) {
        SCOPED_TRACE(calibrationFileName(table.key()));
        std::size_t missing = 0;
        for (const ConvKey& op : standardConvolutions()) {
            missing += table.find(op) == nullptr;
        }
        EXPECT_EQ(missing, 0U);
        EXPECT_GT(table.speed.flops, 1e9);
        EXPECT_GT(table.speed.bytesPerSecond, 1e8);
        for (const char* family : {"conv", "conv_1x1", "depthwise", "conv_transpose"}) {
            EXPECT_EQ(table.speed.compute.count(family), 1U) << family;
        }
        for (const char* family : {"elementwise", "norm", "pool", "upsample", "copy", "optimizer"}) {
            EXPECT_EQ(table.speed.memory.count(family), 1U) << family;
        }
    }
}

/// A tenth of the times is guessed from the others: most guesses are half to twice the measurement. Tables of
/// two threads of another machine have a larger spread.
TEST(CommittedCalibration, GuessesOfTimesAreNearWhatWasMeasured) {
    constexpr std::size_t kFolds = 10;
    std::size_t allGuessed = 0, allNear = 0;
    for (const Calibration& table : committedTables()) {
        SCOPED_TRACE(calibrationFileName(table.key()));
        std::vector<std::string> names;
        for (const auto& [name, row] : table.rows()) {
            names.push_back(name);
        }
        std::sort(names.begin(), names.end());
        std::shuffle(names.begin(), names.end(), std::mt19937_64(4));
        Calibration others(table.key());
        for (std::size_t i = names.size() / kFolds; i < names.size(); ++i) {
            others.add(key(names[i]), table.rows().at(names[i]));
        }
        EXPECT_EQ(others.guessMicroseconds(key(names[0])), 0) << "guesses are not prepared";
        others.prepareGuesses();
        std::size_t guessed = 0, near = 0;
        for (std::size_t i = 0; i < names.size() / kFolds; ++i) {
            const double measured = table.rows().at(names[i]).microseconds;
            const double guess = others.guessMicroseconds(key(names[i]));
            guessed += guess > 0 && measured > 0;
            near += measured > 0 && guess >= measured / 2 && guess <= 2 * measured;
        }
        EXPECT_GT(guessed, names.size() / kFolds * 9 / 10);
        EXPECT_GT(near, guessed * 50 / 100);
        allGuessed += guessed;
        allNear += near;
    }
    EXPECT_GT(allNear, allGuessed * 70 / 100);
}

/// Ten times, a tenth of the rows is guessed from the others.
TEST(CommittedCalibration, GuessesHoldWhatWasMeasured) {
    constexpr std::size_t kFolds = 10;
    constexpr std::int64_t kFixed = 16384;  // below it, buffers of fixed size dominate
    for (const Calibration& table : committedTables()) {
        SCOPED_TRACE(calibrationFileName(table.key()));
        std::vector<std::string> names;
        for (const auto& [name, row] : table.rows()) {
            names.push_back(name);
        }
        std::sort(names.begin(), names.end());
        std::shuffle(names.begin(), names.end(), std::mt19937_64(3));
        std::size_t inside = 0;
        std::vector<double> widths;
        for (std::size_t fold = 0; fold < kFolds; ++fold) {
            Calibration others(table.key());
            for (std::size_t i = 0; i < names.size(); ++i) {
                if (i % kFolds != fold) {
                    others.add(key(names[i]), table.rows().at(names[i]));
                }
            }
            others.prepareGuesses();
            for (std::size_t i = fold; i < names.size(); i += kFolds) {
                const ConvKey op = key(names[i]);
                const Estimate guess = others.guess(op);
                const base::Bytes measured = highestTemporaries(table.rows().at(names[i]));
                EXPECT_LE(guess.low, guess.expected);
                EXPECT_LE(guess.expected, guess.high);
                inside += guess.low <= measured && measured <= guess.high;
                widths.push_back(static_cast<double>(guess.high - guess.low) /
                                 static_cast<double>(kFixed + 4 * (op.inputElements() + op.outputElements() +
                                                                   op.weightElements())));
            }
        }
        std::nth_element(widths.begin(), widths.begin() + static_cast<std::ptrdiff_t>(widths.size() / 2),
                         widths.end());
        const double share = static_cast<double>(inside) / static_cast<double>(names.size());
        std::printf("%s: %.1f %% of %zu rows inside, median width %.2f of all tensors and 16 KiB\n",
                    calibrationFileName(table.key()).c_str(), 100 * share, names.size(),
                    widths[widths.size() / 2]);
        EXPECT_GE(share, 0.95);
        // Guesses follow the choices of LibTorch 1.13 and oneDNN 2.
        EXPECT_LT(widths[widths.size() / 2], table.key().libtorch.starts_with("1.13") ? 2 : 3);
    }
}

}  // namespace
}  // namespace highwater::predict
