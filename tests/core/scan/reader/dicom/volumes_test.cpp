#include <gmock/gmock.h>

#include <functional>
#include <numeric>
#include <random>
#include <set>

#include "core/scan/reader/dicom/volumes.h"
#include "tests/core/scan/reader/dicom/builder.h"
#include "tests/core/scan/reader/dicom/here.h"
#include "tests/core/scan/reader/nifti/builder.h"

/// Series with several pictures at each position and some missing files.
namespace highwater::scan {
namespace {

using test::Dicom;
using test::text;
using testing::AllOf;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

constexpr int kSlices = 6, kTimes = 4;

using Cell = std::pair<int, int>;  // time, slice
using Describe = std::function<void(Dicom&, int time, int slice)>;

class DicomVolumes : public testing::Test {
protected:
    /// Files "t1s3", whose values are 100 times the time.
    void write(const std::vector<Cell>& missing, const Describe& describe, int times = kTimes) {
        for (int time = 0; time < times; ++time) {
            for (int slice = 0; slice < kSlices; ++slice) {
                if (std::find(missing.begin(), missing.end(), Cell(time, slice)) == missing.end()) {
                    put(time, slice, describe);
                }
            }
        }
    }
    void put(int time, int slice, const Describe& describe, const std::string& suffix = "") {
        Dicom d;
        d.position = {0, 0, 3.0 * slice};
        d.values = {100 * (time + 1)};
        describe(d, time, slice);
        d.extra[0x00080018] = text("UI", "1.2.3." + std::to_string(files_++));  // instance numbers may repeat
        folder_.write("t" + std::to_string(time) + "s" + std::to_string(slice) + suffix, test::dicomFile(d));
    }
    std::vector<std::string> warnings() const {
        const auto contents = test::listHere(folder_.path().string());
        EXPECT_TRUE(contents.ok()) << contents.error().message;
        EXPECT_THAT(contents->series, SizeIs(1));
        return contents->series.at(0).warnings;
    }
    /// The values of each volume, by slice.
    std::vector<std::vector<double>> values() const {
        std::vector<std::vector<double>> out;
        for (std::int64_t volume = 0;; ++volume) {
            const auto read = test::readDicomHere(folder_.path().string(), "", volume);
            if (!read) {
                EXPECT_THAT(read.error().message, HasSubstr("there is no volume"));
                return out;
            }
            out.emplace_back();
            for (std::int64_t slice = 0; slice < read->geometry().size[2]; ++slice) {
                out.back().push_back(read->at(1, 1, slice));
            }
        }
    }
    /// Every volume is complete, or blank (its lowest value) where it lacks a slice: no value of another
    /// time.
    void expectUnmixed(int times) const {
        const auto all = values();
        ASSERT_EQ(all.size(), static_cast<std::size_t>(times));
        for (int time = 0; time < times; ++time) {
            EXPECT_THAT(all[static_cast<std::size_t>(time)], AllOf(SizeIs(kSlices), Each(100 * (time + 1))));
        }
    }
    test::TemporaryFolder folder_;
    int files_ = 1;
};

void byVolume(Dicom& d, int time, int slice) {
    d.instance = 1 + time * kSlices + slice;
}
void byPosition(Dicom& d, int time, int slice) {
    d.instance = 1 + slice * kTimes + time;
}
/// Even slices are taken first, as scanners do to keep neighbors apart.
void interleaved(Dicom& d, int time, int slice) {
    d.instance = 1 + time * kSlices + (slice % 2 == 0 ? slice / 2 : 3 + slice / 2);
}
void byTemporalIndex(Dicom& d, int time, int) {
    d.instance = 0;
    d.extra[0x00200100] = text("IS", std::to_string(time + 1));
}
void byEcho(Dicom& d, int time, int) {
    d.instance = 0;
    d.extra[0x00180081] = text("DS", std::to_string(4.6 * (time + 1)));
}
void byAcquisition(Dicom& d, int time, int slice) {
    d.instance = slice + 1;
    d.extra[0x00200012] = text("IS", std::to_string(time + 1));
}
void byBValue(Dicom& d, int time, int) {
    d.instance = 0;
    d.extra[0x00190010] = text("LO", "SIEMENS MR HEADER");
    d.extra[0x0019100C] = text("IS", std::to_string(500 * time));
}

TEST_F(DicomVolumes, OneMissingFileIsNamedAndShiftsNothing) {
    write({{1, 3}}, byVolume);
    EXPECT_THAT(warnings(), ElementsAre("volume 1: 1 slice is missing between t1s2 and t1s4: left blank"));
    expectUnmixed(kTimes);
}

/// Whichever files are missing, and whatever distinguishes the volumes.
TEST_F(DicomVolumes, MissingFilesShiftNothing) {
    const std::vector<std::vector<Cell>> holes{
        {{0, 0}},
        {{0, 5}},
        {{3, 5}},
        {{3, 0}},
        {{1, 0}, {1, 1}},
        {{1, 2}, {2, 2}},
        {{0, 1}, {1, 1}, {2, 4}},
        {{0, 0}, {1, 1}, {2, 2}, {3, 3}},
        {{0, 0}, {1, 1}, {2, 2}, {3, 3}, {0, 4}, {1, 5}},  // one at each position
    };
    const std::vector<std::pair<const char*, Describe>> orders{{"by volume", byVolume},
                                                               {"by position", byPosition},
                                                               {"interleaved", interleaved},
                                                               {"time", byTemporalIndex},
                                                               {"echo", byEcho},
                                                               {"acquisition", byAcquisition},
                                                               {"b-value", byBValue}};
    for (const auto& [name, describe] : orders) {
        for (std::size_t i = 0; i < holes.size(); ++i) {
            SCOPED_TRACE(std::string(name) + ", holes " + std::to_string(i));
            for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
                std::filesystem::remove(entry.path());
            }
            write(holes[i], describe);
            expectUnmixed(kTimes);
            const auto lines = warnings();
            EXPECT_THAT(lines,
                        Each(AllOf(HasSubstr("volume "), HasSubstr("missing"), HasSubstr("left blank"))));
            EXPECT_LE(lines.size(), holes[i].size());
            EXPECT_GE(lines.size(), 1U);
        }
    }
}

TEST_F(DicomVolumes, AWholeVolumeThatIsMissingIsSaid) {
    for (const Describe& describe : {Describe(byVolume), Describe(byTemporalIndex)}) {
        write({{1, 0}, {1, 1}, {1, 2}, {1, 3}, {1, 4}, {1, 5}}, describe);
        EXPECT_THAT(warnings(),
                    ElementsAre("between volumes 0 and 1 at least one is missing, with all of its "
                                "pictures"));
        EXPECT_THAT(values(), ElementsAre(Each(100), Each(300), Each(400)));
    }
}

TEST_F(DicomVolumes, APositionThatEveryVolumeLacksIsSaidOnce) {
    write({{0, 2}, {1, 2}, {2, 2}, {3, 2}}, byVolume);
    EXPECT_THAT(warnings(),
                ElementsAre("every volume: 1 slice is missing between t0s1 and t0s3: left blank"));
    expectUnmixed(kTimes);
}

TEST_F(DicomVolumes, AVolumeThatEndedEarlyIsLeftOut) {
    write({{3, 2}, {3, 3}, {3, 4}, {3, 5}}, byVolume);
    EXPECT_THAT(warnings(), ElementsAre("2 pictures of volumes with less than half of their slices were left "
                                        "out, the first of them t3s0"));
    expectUnmixed(3);
}

TEST_F(DicomVolumes, AFileThatIsThereTwiceIsSaidAndShiftsNothing) {
    for (const Describe& describe : {Describe(byVolume), Describe(byTemporalIndex)}) {
        write({}, describe);
        put(2, 3, describe, "again");
        EXPECT_THAT(warnings(), ElementsAre("t2s3again is at the position of t2s3: the latter is shown"));
        expectUnmixed(kTimes);
    }
}

/// Named echoes, repetitions with numbers only.
TEST_F(DicomVolumes, NamesAndNumbersTogether) {
    write({{2, 1}}, [](Dicom& d, int time, int slice) {
        byVolume(d, time, slice);
        d.extra[0x00180081] = text("DS", time % 2 == 0 ? "10" : "20");
    });
    EXPECT_THAT(values(), ElementsAre(Each(100), Each(300), Each(200), Each(400)));
    EXPECT_THAT(warnings(), ElementsAre("volume 1: 1 slice is missing between t2s0 and t2s2: left blank"));
}

/// Values that differ between slices do not identify a volume.
TEST_F(DicomVolumes, TriggerTimesOfEverySliceAreNoVolumes) {
    write({{1, 3}}, [](Dicom& d, int time, int slice) {
        byVolume(d, time, slice);
        d.extra[0x00181060] = text("DS", std::to_string(50.5 * (time * kSlices + slice)));
        d.extra[0x00200012] = text("IS", std::to_string(slice / 3 + 1));
    });
    EXPECT_THAT(warnings(), ElementsAre(HasSubstr("volume 1: 1 slice is missing between t1s2 and t1s4")));
    expectUnmixed(kTimes);
}

TEST_F(DicomVolumes, WhatNothingTellsApartIsNotMixed) {
    write({{1, 3}}, [](Dicom& d, int, int) { d.instance = 0; });
    EXPECT_THAT(warnings(), Contains(AllOf(HasSubstr("3 pictures where others are missing were left out"),
                                           HasSubstr("s3"))));
    for (const auto& volume : values()) {
        EXPECT_THAT(volume, Each(volume.front()));
    }
}

/// Up to an eighth of the pictures are missing, anywhere: no volume has pictures of two times.
TEST(AssignedVolumes, NeverMixTimes) {
    std::mt19937 random(11);
    int whole = 0;
    for (int round = 0; round < 3000; ++round) {
        const int slices = 3 + static_cast<int>(random() % 12), times = 3 + static_cast<int>(random() % 8);
        const int missing = static_cast<int>(random() % static_cast<unsigned>(slices * times / 8 + 1));
        std::vector<int> order(static_cast<std::size_t>(slices)), kept;
        std::iota(order.begin(), order.end(), 0);
        std::shuffle(order.begin(), order.end(), random);
        for (int cell = 0; cell < slices * times; ++cell) {
            kept.push_back(cell);
        }
        std::shuffle(kept.begin(), kept.end(), random);
        kept.resize(kept.size() - static_cast<std::size_t>(missing));
        std::vector<reader::dicom::Order> orders(static_cast<std::size_t>(slices * times));
        std::vector<std::vector<reader::dicom::Candidate>> positions(static_cast<std::size_t>(slices));
        for (const int cell : kept) {
            const int time = cell / slices, slice = cell % slices;
            const int at = order[static_cast<std::size_t>(slice)];
            auto& one = orders[static_cast<std::size_t>(cell)];
            one.instance = 1 + (round % 3 == 0 ? time * slices + at : at * times + time);
            if (round % 3 == 2) {
                one.instance = static_cast<double>(random() % 5);
                one.temporal = time + 1;
            }
            positions[static_cast<std::size_t>(slice)].push_back({&one, 0, static_cast<std::size_t>(cell)});
        }
        std::erase_if(positions, [](const auto& here) { return here.empty(); });
        const auto volumes = reader::dicom::assignVolumes(positions);
        ASSERT_FALSE(volumes.indices.empty());
        SCOPED_TRACE(fmt::format("round {}: {} slices, {} times, {} missing", round, slices, times, missing));
        for (const auto& volume : volumes.indices) {
            std::set<std::int64_t> seen;
            for (const std::int64_t index : volume) {
                if (index >= 0) {
                    seen.insert(index / slices);
                }
            }
            ASSERT_EQ(seen.size(), 1U);
        }
        whole += static_cast<int>(volumes.indices.size()) == times;
    }
    EXPECT_GT(whole, 2900);
}

TEST_F(DicomVolumes, EveryWarningIsKept) {
    std::vector<Cell> missing;
    for (int time = 0; time < 50; ++time) {
        missing.emplace_back(time, 1 + time % 4);
    }
    write(missing, byVolume, 50);
    EXPECT_THAT(warnings(), SizeIs(50));
    expectUnmixed(50);
    EXPECT_THAT(test::readDicomHere(folder_.path().string())->header().warnings, SizeIs(50));
}

}  // namespace
}  // namespace highwater::scan
