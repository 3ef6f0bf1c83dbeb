#include <gmock/gmock.h>

#include "tests/core/scan/reader/in_process.h"
#include "tests/core/scan/tissue_files.h"

namespace highwater::test {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

base::Result<volume::Volume> readNrrd(const std::string& bytes, std::int64_t index = 0) {
    const TemporaryFolder folder;
    return readHere(folder.write("a.nrrd", bytes), index);
}

std::string nrrdRefusal(const std::string& bytes) {
    const auto volume = readNrrd(bytes);
    EXPECT_FALSE(volume.ok()) << "should have been refused";
    return volume.ok() ? "" : volume.error().message;
}

TEST(Nrrd, GzipInsideOfIt) {
    for (std::string_view type : kTypeNames) {
        for (bool swapped : {false, true}) {
            const auto volume = readNrrd(nrrdHeader(someBlock(), type, swapped, "RAS", "gzip") + "\n" +
                                         gzip(stored(someBlock().values(), type, swapped)));
            ASSERT_TRUE(volume.ok()) << volume.error().message;
            EXPECT_EQ(volume->header().format, "NRRD (gzip)");
            ASSERT_NO_FATAL_FAILURE(expectTissue(*volume, someBlock())) << type;
        }
    }
}

TEST(Nrrd, Detached) {
    const TemporaryFolder folder;
    std::filesystem::create_directory(folder.path() / "below it");
    for (const char* name : {"a.raw", "below it/a b.raw", "./a.raw"}) {
        folder.write(name, "skip me" + someVoxels());
        const auto volume = readHere(folder.write(
            "a.nhdr", nrrdHeader(someBlock(), "int16", false) + "byte skip: 7\ndata file: " + name + "\n"));
        ASSERT_TRUE(volume.ok()) << volume.error().message;
        EXPECT_EQ(volume->header().format, "NRRD, detached");
        ASSERT_NO_FATAL_FAILURE(expectTissue(*volume, someBlock()));
    }
    folder.write("a.raw.gz", gzip(someVoxels()));
    const auto packed = readHere(
        folder.write("b.nhdr", nrrdHeader(someBlock(), "int16", false, "RAS", "gz") + "datafile: a.raw.gz"));
    ASSERT_TRUE(packed.ok()) << packed.error().message;
    ASSERT_NO_FATAL_FAILURE(expectTissue(*packed, someBlock()));
}

TEST(Nrrd, ADataFileElsewhereIsRefusedWithTheReason) {
    const TemporaryFolder folder;
    std::filesystem::create_directory(folder.path() / "in");
    const auto outside = folder.write("a.raw", someVoxels());
    for (const std::string& name :
         {outside, std::string("../a.raw"), std::string("x/../../a.raw"), std::string("..")}) {
        const auto volume = readHere(folder.write(
            "in/a.nhdr", nrrdHeader(someBlock(), "int16", false) + "data file: " + name + "\n\n"));
        ASSERT_FALSE(volume.ok()) << name;
        EXPECT_THAT(
            volume.error().message,
            AllOf(StartsWith("a.nhdr: "), HasSubstr("only a file in the header's folder or below is read")));
    }
}

TEST(Nrrd, TheLastBytesOfTheFile) {
    const TemporaryFolder folder;
    folder.write("a.raw", "some header of another program" + someVoxels());
    const auto volume = readHere(
        folder.write("a.nhdr", nrrdHeader(someBlock(), "int16", false) + "byteskip: -1\ndata file: a.raw\n"));
    ASSERT_TRUE(volume.ok()) << volume.error().message;
    ASSERT_NO_FATAL_FAILURE(expectTissue(*volume, someBlock()));
    folder.write("a.raw", someVoxels().substr(1));
    EXPECT_THAT(readHere((folder.path() / "a.nhdr").string()).error().message,
                HasSubstr("a.raw: truncated: the header promises 420 bytes of voxels, the file has 419"));
}

TEST(Nrrd, LinesThatEndTheWindowsWay) {
    std::string header = nrrdHeader(someBlock(), "int16", false) + "\n";
    for (std::size_t at = 0; (at = header.find('\n', at)) != std::string::npos; at += 2) {
        header.insert(at, "\r");
    }
    const auto volume = readNrrd(header + someVoxels());
    ASSERT_TRUE(volume.ok()) << volume.error().message;
    ASSERT_NO_FATAL_FAILURE(expectTissue(*volume, someBlock()));
}

/// Five volumes of the block, number v with v added, with the volumes along axis `place`.
std::string fiveVolumes(std::size_t place, std::string_view kind, std::string_view encoding) {
    const Block block = someBlock();
    std::string header = nrrdHeader(block, "int16", true, "LPS", encoding);
    header = replaced(header, "dimension: 3", "dimension: 4");
    const std::array<std::int64_t, 3> size{block.size(0), block.size(1), block.size(2)};
    std::string sizes = "sizes:", kinds = "kinds:", directions = "space directions:";
    const std::string before = header.substr(header.find("space directions:"));
    std::string vectors = before.substr(17, before.find('\n') - 17);
    for (std::size_t axis = 0, spatial = 0; axis < 4; ++axis) {
        if (axis == place) {
            sizes += " 5";
            kinds += " " + std::string(kind);
            directions += " none";
            continue;
        }
        const auto end = vectors.find(')');
        sizes += fmt::format(" {}", size[spatial++]);
        kinds += " space";
        directions += vectors.substr(0, end + 1);
        vectors.erase(0, end + 1);
    }
    const auto line = [&](std::string_view name, const std::string& with) {
        const auto at = header.find(std::string("\n") + std::string(name)) + 1;
        header.replace(at, header.find('\n', at) - at, with);
    };
    line("sizes:", sizes);
    line("kinds:", kinds);
    line("space directions:", directions);
    const auto values = block.values();
    std::size_t run = 1;
    for (std::size_t axis = 0; axis < place; ++axis) {
        run *= static_cast<std::size_t>(size[axis]);
    }
    std::vector<int> all;
    for (std::size_t at = 0; at < values.size(); at += run) {
        for (int v = 0; v < 5; ++v) {
            for (std::size_t i = 0; i < run; ++i) {
                all.push_back(values[at + i] + 1000 * v);
            }
        }
    }
    const std::string bytes = stored(all, "int16", true);
    return header + "\n" + (encoding == "gzip" ? gzip(bytes) : bytes);
}

TEST(Nrrd, VolumesAlongAnyAxis) {
    for (std::size_t place = 0; place < 4; ++place) {
        for (const char* kind : {"list", "vector", "time"}) {
            for (const char* encoding : {"raw", "gzip"}) {
                const std::string bytes = fiveVolumes(place, kind, encoding);
                for (std::int64_t index : {0, 3, 4}) {
                    const auto volume = readNrrd(bytes, index);
                    ASSERT_TRUE(volume.ok()) << volume.error().message;
                    EXPECT_EQ(volume->header().volumes, 5);
                    EXPECT_EQ(volume->geometry().orientation(), someBlock().letters);
                    const auto values = someBlock().values();
                    const auto& size = volume->geometry().size;
                    for (std::size_t at = 0; at < values.size(); ++at) {
                        const auto i = static_cast<std::int64_t>(at);
                        ASSERT_EQ(volume->at(i % size[0], i / size[0] % size[1], i / size[0] / size[1]),
                                  values[at] + 1000 * index)
                            << place << " " << kind << " " << encoding;
                    }
                }
                EXPECT_THAT(readNrrd(bytes, 5).error().message, HasSubstr("there is no volume 5"));
            }
        }
    }
}

TEST(Nrrd, AFourthAxisWithoutAWordAboutItIsSaid) {
    std::string header =
        "NRRD0001\ntype: uint8\ndimension: 4\nsizes: 2 3 4 5\nspacings: 1 2 3 nan\nencoding: raw\n\n";
    const auto volume = readNrrd(header + std::string(120, '\7'), 4);
    ASSERT_TRUE(volume.ok()) << volume.error().message;
    EXPECT_EQ(volume->header().volumes, 5);
    EXPECT_EQ(volume->geometry().spacing, (std::array<double, 3>{1, 2, 3}));
    EXPECT_THAT(volume->header().warnings, Contains(HasSubstr("fourth axis")));
    EXPECT_THAT(volume->header().warnings,
                Contains(HasSubstr("names no space: R, L, A, P, S and I are a guess")));
}

TEST(Nrrd, OneSlice) {
    const auto volume = readNrrd(
        "NRRD0004\ntype: uint8\ndimension: 2\nspace: RAS\nsizes: 2 3\n"
        "space directions: (0,2,0) (0,0,3)\nencoding: raw\n\nabcdef");
    ASSERT_TRUE(volume.ok()) << volume.error().message;
    EXPECT_EQ(volume->geometry().size, (std::array<std::int64_t, 3>{2, 3, 1}));
    EXPECT_EQ(volume->geometry().orientation(), "ASR");
}

TEST(Nrrd, WarnsOfWhatItDoesNotKnow) {
    const std::string good = nrrdTissue(someBlock(), "int16", false);
    const auto warnings = [&](std::string_view from, std::string_view to) {
        const auto volume = readNrrd(replaced(good, from, to));
        EXPECT_TRUE(volume.ok()) << volume.error().message;
        return volume.ok() ? volume->header().warnings : std::vector<std::string>{};
    };
    EXPECT_THAT(warnings("space: left-posterior-superior", "space: scanner-xyz"),
                Contains(HasSubstr("guess")));
    EXPECT_THAT(warnings("endian:", "space units: \"furlong\" \"furlong\" \"furlong\"\nendian:"),
                Contains(HasSubstr("its unit of length is \"furlong\"; read as millimeters")));
    EXPECT_THAT(warnings("endian:", "space units: \"um\" \"um\" \"um\"\nendian:"), testing::IsEmpty());
}

TEST(Nrrd, UnknownSpacingIsShownNotInvented) {
    const std::string header = "NRRD0001\ntype: uint8\ndimension: 3\nsizes: 2 3 1\n";
    for (const char* spacings : {"", "spacings: 1 nan 1\n", "spacings: 1 0 1\n", "spacings: 1 -2 1\n"}) {
        const auto volume = readNrrd(header + spacings + "encoding: raw\n\nabcdef");
        ASSERT_TRUE(volume.ok()) << volume.error().message;
        EXPECT_FALSE(volume->header().spacingKnown);
        EXPECT_THAT(volume->header().warnings, Contains(HasSubstr("spacing along y is unknown")));
    }
}

struct NrrdCase {
    const char* from;
    const char* to;
    const char* message;
};

const NrrdCase kNrrdCases[] = {
    {"NRRD0004", "NRRD0009", "must be NRRD0001 to NRRD0005"},
    {"type: short\n", "type: shirt\n", "\"shirt\" is not a NRRD type"},
    {"type: short\n", "type: block\n", "blocks of bytes are not supported"},
    {"type: short\n", "type: short\ntype: short\n", "has the field type twice"},
    {"type: short\n", "nonsense\n", "the header's line \"nonsense\" has no \": \""},
    {"dimension: 3", "dimension: 0", "dimension is \"0\", it must be 1 to 16"},
    {"dimension: 3", "dimension: 4", "it must be 4 whole numbers"},
    {"sizes: 6", "sizes: -6", "a size of -6, it must be at least 1"},
    {"sizes: 6", "sizes: 0", "a size of 0, it must be at least 1"},
    {"sizes: 6", "sizes: 60", "truncated: the header promises 4200 bytes of voxels, the file has 420"},
    {"sizes: 6", "sizes: 2147483648", "more voxels than any file can hold"},
    {"sizes: 6", "sizes: 99999999999999999999", "it must be 3 whole numbers"},
    {"encoding: raw", "encoding: hex", "the encoding hex is not supported; save it as raw or gzip"},
    {"encoding: raw", "encoding: bzip2", "the encoding bzip2 is not supported"},
    {"encoding: raw", "encoding: ascii", "the encoding ascii is not supported"},
    {"encoding: raw", "encoding: rot13", "\"rot13\" is not a NRRD encoding"},
    {"endian: little", "endian: middle", "endian is \"middle\", it must be little or big"},
    {"endian: little\n", "", "endian is \"\", it must be little or big"},
    {"encoding: raw", "encoding: raw\nline skip: 2", "a line skip is not supported"},
    {"encoding: raw", "encoding: raw\nbyte skip: -2", "byte skip is \"-2\""},
    {"encoding: raw", "encoding: raw\nbyte skip: 9000", "truncated: its voxels begin at byte"},
    {"encoding: raw", "encoding: gzip\nbyte skip: -1", "only possible where the encoding is raw"},
    {"encoding: raw", "encoding: raw\ndata file: LIST", "voxels in several data files are not supported"},
    {"encoding: raw", "encoding: raw\ndata file: s%03d.raw 1 9 1", "voxels in several data files"},
    {"encoding: raw", "encoding: raw\ndata file: none.raw", "none.raw: there is no such file"},
    {"kinds: domain domain domain", "kinds: domain domain", "kinds has 2 entries for 3 axes"},
    {"space: left-posterior-superior", "space: right-anterior-superior-time", "spaces without time"},
    {"space origin: (", "space origin: (nan,", "space origin has"},
    {"space directions: (", "space directions: (0,0,0) (", "space directions has 4 entries for 3 axes"},
};

TEST(Nrrd, ADataFileThatIsALinkOutOfTheFolderIsNotFollowed) {
    const TemporaryFolder folder, outside;
    const auto header =
        folder.write("a.nhdr", nrrdHeader(someBlock(), "int16", false) + "data file: a.raw\n");
    const auto secret = outside.write("secret", stored(someBlock().values(), "int16", false));
    std::filesystem::create_symlink(secret, folder.path() / "a.raw");
    EXPECT_THAT(readHere(header).error().message, HasSubstr("a.raw: is a link to another folder"));
    std::filesystem::remove(folder.path() / "a.raw");
    std::filesystem::copy_file(secret, folder.path() / "a.raw");
    EXPECT_TRUE(readHere(header).ok());
}

TEST(Nrrd, RefusalsAreOneLineThatNamesTheFileAndWhatIsWrong) {
    const Block block{{1, 0, 2}, {1, 1, 1}, "ARS"};
    const std::string good = nrrdTissue(block, "int16", false);
    ASSERT_TRUE(readNrrd(good).ok());
    for (const NrrdCase& one : kNrrdCases) {
        const std::string message = nrrdRefusal(replaced(good, one.from, one.to));
        EXPECT_THAT(message, AllOf(StartsWith("a.nrrd: "), HasSubstr(one.message), Not(HasSubstr("\n"))))
            << one.to;
    }
}

std::string withDirections(std::string_view directions, std::string_view kinds = "domain domain domain") {
    return fmt::format(
        "NRRD0004\ntype: uint8\ndimension: 3\nspace: RAS\nsizes: 3 2 2\nspace directions: {}\n"
        "kinds: {}\nencoding: raw\n\n123456789012",
        directions, kinds);
}

TEST(Nrrd, AxesThatAreNone) {
    EXPECT_THAT(nrrdRefusal(withDirections("(1,0,0) (0,0,0) (0,0,1)")),
                HasSubstr("the space directions are singular"));
    EXPECT_THAT(nrrdRefusal(withDirections("(1,0,0) (1,0,0) (0,0,1)")),
                HasSubstr("the space directions are singular"));
    EXPECT_THAT(nrrdRefusal(withDirections("(1,0,0) (0,1,0) (0,0.25,1)")),
                HasSubstr("sheared by 14.0 degrees (a tilted gantry?); resample it to right angles first"));
    EXPECT_THAT(nrrdRefusal(withDirections("none (0,1,0) (0,0,1)", "RGB-color space space")),
                HasSubstr("colors are not supported"));
    EXPECT_THAT(nrrdRefusal(withDirections("none (0,1,0) (0,0,1)", "3-color space space")),
                HasSubstr("colors"));
    EXPECT_THAT(nrrdRefusal(withDirections("none (0,1,0) (0,0,1)", "complex space space")),
                HasSubstr("complex numbers"));
    EXPECT_THAT(nrrdRefusal(withDirections("none none (0,0,1)", "list list space")),
                HasSubstr("two axes that are not in space"));
    const auto little = readNrrd(withDirections("(1,0,0) (0,1,0) (0,0.005,1)"));
    ASSERT_TRUE(little.ok()) << little.error().message;
    EXPECT_THAT(little->header().warnings, Contains(HasSubstr("off a right angle")));
}

TEST(Nrrd, CutAtEveryByte) {
    for (const std::string& bytes :
         {nrrdTissue(someBlock(), "int16", false),
          nrrdHeader(someBlock(), "int16", false, "RAS", "gzip") + "\n" + gzip(someVoxels())}) {
        for (std::size_t length = 1; length < bytes.size(); ++length) {
            EXPECT_NE(nrrdRefusal(bytes.substr(0, length)), "") << length;
        }
    }
}

TEST(Nrrd, EveryFlippedByteOfPackedVoxelsIsNoticed) {
    const std::string header = nrrdHeader(someBlock(), "int16", false, "RAS", "gzip") + "\n";
    const std::string packed = gzip(someVoxels());
    int accepted = 0;
    for (std::size_t at = 10; at < packed.size(); ++at) {
        std::string bad = packed;
        bad[at] = static_cast<char>(bad[at] ^ 0x10);
        // A few bits pad the last byte and have no meaning: changing them keeps the voxels.
        if (const auto volume = readNrrd(header + bad); volume.ok()) {
            EXPECT_EQ(std::memcmp(volume->data(), someVoxels().data(), someVoxels().size()), 0) << at;
            ++accepted;
        }
    }
    EXPECT_LE(accepted, 1);
    EXPECT_THAT(nrrdRefusal(header + gzip(someVoxels().substr(2))),
                HasSubstr("promises 420 bytes of voxels, the file has 418"));
    EXPECT_THAT(nrrdRefusal(header + gzip(someVoxels() + std::string(3 << 20, 'x'))),
                HasSubstr("continues far beyond"));
    EXPECT_THAT(nrrdRefusal(replaced(header, "sizes: ", "sizes: 1000") + packed), HasSubstr("can hold"));
    EXPECT_THAT(nrrdRefusal(gzip(header + packed)),
                HasSubstr("inside of gzip is not supported; unpack it first"));
}

}  // namespace
}  // namespace highwater::test
