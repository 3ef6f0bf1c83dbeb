#include <gmock/gmock.h>

#include <random>

#include "core/scan/reader/dicom/decoder.h"
#include "tests/core/scan/reader/dicom/builder.h"
#include "tests/core/scan/reader/dicom/here.h"
#include "tests/core/scan/reader/nifti/builder.h"

namespace highwater::scan {
namespace {

using test::Dicom;
using test::numbers;
using test::Syntax;
using test::text;
using testing::AllOf;
using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;

class DicomRefusal : public testing::Test {
protected:
    base::Result<volume::Volume> read(const std::string& bytes) {
        return test::readDicomHere(folder_.write("IM1", bytes));
    }
    test::TemporaryFolder folder_;
};

TEST_F(DicomRefusal, EveryTruncationIsNoticed) {
    for (const Syntax syntax : {Syntax::Explicit, Syntax::Implicit, Syntax::BigEndian, Syntax::Rle}) {
        Dicom d;
        d.syntax = syntax;
        const std::string whole = test::dicomFile(d);
        ASSERT_TRUE(read(whole).ok());
        // All of the last bytes, which contain the pixels, and some of the others.
        for (std::size_t bytes = 0; bytes < whole.size(); bytes += bytes + 150 < whole.size() ? 7 : 1) {
            const auto volume = read(whole.substr(0, bytes));
            ASSERT_FALSE(volume.ok()) << static_cast<int>(syntax) << " " << bytes << " of " << whole.size();
            EXPECT_THAT(volume.error().message, Not(HasSubstr("\n")));
        }
    }
}

TEST_F(DicomRefusal, HeadersThatPromiseTooMuch) {
    Dicom wide;
    wide.extra[0x00280010] = numbers("US", {65535});
    wide.extra[0x00280011] = numbers("US", {65535});
    EXPECT_THAT(read(test::dicomFile(wide)).error().message, HasSubstr("larger than Highwater reads"));
    Dicom large;
    large.extra[0x00280010] = numbers("US", {8000});
    large.extra[0x00280011] = numbers("US", {8000});
    EXPECT_THAT(read(test::dicomFile(large)).error().message,
                HasSubstr("truncated: the header promises 128000000 bytes of voxels, the file has 24"));
    Dicom many;
    many.extra[0x00280008] = text("IS", "16000000");
    EXPECT_THAT(read(test::dicomFile(many)).error().message, HasSubstr("truncated: the header promises"));
    for (const char* frames : {"0", "-1", "2000000000"}) {
        many.extra[0x00280008] = text("IS", frames);
        EXPECT_THAT(read(test::dicomFile(many)).error().message, HasSubstr("damaged: the header promises"));
    }
    Dicom packed;
    packed.syntax = Syntax::Rle;
    packed.columns = packed.rows = 4000;
    packed.extra[0x00280008] = text("IS", "500");
    packed.fragments.assign(500, "1234");
    EXPECT_THAT(read(test::dicomFile(packed)).error().message,
                HasSubstr("damaged: the header promises 500 pictures of 4000 × 4000 in a file of"));
}

TEST_F(DicomRefusal, ASmallFileHoldsNoHugePicture) {
    Dicom d;
    d.syntax = Syntax::Rle;
    d.columns = d.rows = 8000;
    d.fragments = {std::string(1000, '\0')};
    EXPECT_THAT(read(test::dicomFile(d)).error().message,
                HasSubstr("damaged: the header promises 1 picture of 8000 × 8000 in a file of"));
}

TEST_F(DicomRefusal, ImpossibleHeadersSayWhat) {
    const auto message = [&](std::uint32_t tag, double value) {
        Dicom d;
        d.extra[tag] = numbers("US", {value});
        const auto volume = read(test::dicomFile(d));
        return volume ? std::string("was read") : volume.error().message;
    };
    EXPECT_THAT(message(0x00280002, 2), HasSubstr("2 values a pixel"));
    EXPECT_THAT(message(0x00280100, 12), HasSubstr("12 bits a pixel"));
    EXPECT_THAT(message(0x00280101, 17), HasSubstr("17 bits stored"));
    EXPECT_THAT(message(0x00280102, 3), HasSubstr("high bit 3"));
    EXPECT_THAT(message(0x00280010, 0), HasSubstr("columns and rows"));
}

TEST_F(DicomRefusal, CompressedPicturesMustBeWhatTheHeaderSays) {
    Dicom d;
    d.syntax = Syntax::Jpeg2000;
    std::string siz = std::string("\xFF\x4F\xFF\x51", 4) + test::word(41, 2, true) + test::word(0, 2, true) +
                      test::word(30000, 4, true) + test::word(30000, 4, true) + std::string(8, '\0') +
                      test::word(30000, 4, true) + test::word(30000, 4, true) + std::string(8, '\0') +
                      test::word(1, 2, true) + std::string("\x0F\x01\x01", 3);
    d.fragments = {siz + "\xFF\xD9"};
    auto volume = read(test::dicomFile(d));
    ASSERT_FALSE(volume.ok());
    EXPECT_THAT(volume.error().message, HasSubstr("the compressed picture is 30000 × 30000"));
    d.fragments = {"no codestream"};
    volume = read(test::dicomFile(d));
    ASSERT_FALSE(volume.ok());
    EXPECT_THAT(volume.error().message, HasSubstr("no header"));
    siz.replace(8, 8, test::word(4, 4, true) + test::word(3, 4, true));
    d.fragments = {siz};
    volume = read(test::dicomFile(d));
    ASSERT_FALSE(volume.ok());
    EXPECT_THAT(volume.error().message, HasSubstr("no end"));
    d.fragments = {siz + "\xFF\xD9"};
    volume = read(test::dicomFile(d));
    ASSERT_FALSE(volume.ok());
    EXPECT_THAT(volume.error().message, HasSubstr("a header within a compressed picture does not end"));
    siz[43] = siz[44] = 2;  // every second column and row
    d.fragments = {siz + "\xFF\xD9"};
    volume = read(test::dicomFile(d));
    ASSERT_FALSE(volume.ok());
    EXPECT_THAT(volume.error().message, HasSubstr("the compressed picture is 2 × 2"));
}

TEST_F(DicomRefusal, RunLengthsMustGiveEveryPixelOnce) {
    Dicom d;
    d.syntax = Syntax::Rle;
    const std::string right = test::rleFrame(d);
    const auto message = [&](const std::string& frame) {
        d.fragments = {frame};
        const auto volume = read(test::dicomFile(d));
        return volume ? std::string("was read") : volume.error().message;
    };
    EXPECT_EQ(message(right), "was read");
    for (const std::uint64_t planes : {0ULL, 1ULL, 3ULL, 16ULL, 0xFFFFFFFFULL}) {
        EXPECT_THAT(message(test::word(planes, 4, false) + right.substr(4)),
                    HasSubstr("no header for 16 bits"));
    }
    for (const std::uint64_t offset : {0ULL, 63ULL, 65ULL, 90ULL, 0xFFFFFFF0ULL}) {
        EXPECT_THAT(message(right.substr(0, 4) + test::word(offset, 4, false) + right.substr(8)),
                    HasSubstr("part 1 of a compressed picture is not 12 bytes"));
    }
    // The last run promises more bytes than follow, or more than there are pixels.
    EXPECT_THAT(message(right.substr(0, right.size() - 2)), HasSubstr("part 2"));
    std::string longer = right;
    longer[64] = 12;
    EXPECT_THAT(message(longer), HasSubstr("part 1"));
    longer[64] = static_cast<char>(257 - 13);
    EXPECT_THAT(message(longer), HasSubstr("part 1"));
}

TEST_F(DicomRefusal, SequencesInSequencesWithoutEndAreNoStackOverflow) {
    std::string body;
    for (int depth = 0; depth < 100000; ++depth) {
        body += test::encodedTag(0x00081140, false) + "SQ" + std::string(2, '\0') +
                test::word(0xFFFFFFFF, 4, false) + test::encodedTag(0xFFFEE000, false) +
                test::word(0xFFFFFFFF, 4, false);
    }
    const auto volume = read(test::wrapped(test::syntaxUid(Syntax::Explicit), body));
    ASSERT_FALSE(volume.ok());
    EXPECT_THAT(volume.error().message, HasSubstr("damaged"));
}

TEST_F(DicomRefusal, ADeflatedBombIsRefused) {
    // Blocks of 258 equal bytes in a few bits each: fixed Huffman codes, written by hand: only zeros.
    std::string bomb;
    unsigned bits = 0;
    int filled = 0;
    const auto put = [&](unsigned value, int count) {
        for (int i = 0; i < count; ++i) {
            bits |= (value >> i & 1U) << filled;
            if (++filled == 8) {
                bomb += static_cast<char>(bits);
                bits = 0;
                filled = 0;
            }
        }
    };
    put(1, 1);     // the last block
    put(1, 2);     // fixed codes
    put(0x0C, 8);  // the literal 0: 00110000, the highest bit first
    for (int i = 0; i < 800000; ++i) {
        put(0xA3, 8);  // length 258: code 285, 11000101, the highest bit first
        put(0, 5);     // distance 1
    }
    put(0, 7);
    put(0, 8);
    const auto volume = read(test::wrapped(test::syntaxUid(Syntax::Deflated), bomb));
    ASSERT_FALSE(volume.ok());
    EXPECT_THAT(volume.error().message, HasSubstr("unfold to more than"));
}

TEST_F(DicomRefusal, ADecoderThatHangsIsStopped) {
    Dicom d;
    d.syntax = Syntax::Rle;
    reader::dicom::FrameRequest request;
    request.path = folder_.write("IM1", test::dicomFile(d));
    request.pixels.columns = 4;
    request.pixels.rows = 3;
    request.pixels.isSigned = true;
    request.pixels.type = volume::VoxelType::I16;
    request.compressed = true;
    reader::dicom::FrameDecoder hasty({request}, std::chrono::milliseconds(0));
    const auto late = hasty.frame(0);
    ASSERT_FALSE(late.ok());
    EXPECT_THAT(late.error().message, HasSubstr("did not end within"));
    reader::dicom::FrameDecoder patient({request}, std::chrono::seconds(60));
    const auto frame = patient.frame(0);
    ASSERT_TRUE(frame.ok()) << frame.error().message;
    EXPECT_EQ(frame->size(), 24U);
}

/// Bytes changed at random: one line or a volume, and never the end of this process.
TEST_F(DicomRefusal, MutatedFilesEndNothing) {
    std::mt19937 random(7);
    int refused = 0, read = 0;
    for (const Syntax syntax : {Syntax::Explicit, Syntax::Implicit, Syntax::BigEndian, Syntax::Rle}) {
        Dicom d;
        d.syntax = syntax;
        d.undefinedLengths = true;
        d.extra[0x52009229] =
            test::sequence({{{0x00289110, test::sequence({{{0x00280030, text("DS", "1\\1")}}})}}});
        const std::string whole = test::dicomFile(d);
        for (int round = 0; round < 250; ++round) {
            std::string bytes = whole;
            for (int change = 0; change < 1 + round % 4; ++change) {
                bytes[132 + random() % (bytes.size() - 132)] = static_cast<char>(random() & 0xFF);
            }
            const auto volume = this->read(bytes);
            (volume ? read : refused) += 1;
            if (!volume) {
                ASSERT_THAT(volume.error().message, AllOf(HasSubstr("IM1"), Not(HasSubstr("\n"))));
            }
        }
    }
    EXPECT_GT(refused, 100);
    EXPECT_GT(read, 100);
}

}  // namespace
}  // namespace highwater::scan
