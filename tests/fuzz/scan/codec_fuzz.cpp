// Damaged compressed pictures, decoded by the reader's own decoder process without the rest of the reader:
// thousands per minute. tests/fuzz/scan/instrumented also runs it with sanitizers in the codecs.
#include <gmock/gmock.h>

#include <random>

#include "core/scan/reader/dicom/decoder.h"
#include "tests/core/scan/reader/nifti/builder.h"
#include "tests/fuzz/mutator.h"
#include "tests/fuzz/rounds.h"
#include "tests/fuzz/scan/compressed.h"

namespace highwater::scan::reader::dicom {
namespace {

using fuzz::Compressed;

/// One of the frames is damaged, sometimes the whole file.
std::string damagedFile(const Compressed& seed, std::uint64_t number) {
    std::mt19937_64 random(number);
    if (random() % 16 == 0) {
        return fuzz::mutate(seed.file(), number);
    }
    std::vector<std::string> frames = seed.frames;
    std::string& frame = frames[random() % frames.size()];
    const std::string end = frame.substr(frame.size() - 2);
    frame = fuzz::mutate(frame, number);
    if (random() % 4 != 0) {
        frame += end;  // most truncated frames get an end marker, so that they reach the codec
    }
    return seed.file(frames);
}

/// The requests for all frames of a file, if its own header permits decoding them.
std::vector<FrameRequest> requestsFor(const std::string& path) {
    const auto file = openDicom(path);
    if (!file || file->parsed.error) {
        return {};
    }
    const auto pixels = pixelsOf(*file);
    if (!pixels) {
        fuzz::expectOneLine(pixels.error().message);
        return {};
    }
    std::vector<FrameRequest> out;
    for (std::int64_t frame = 0; frame < std::min<std::int64_t>(pixels->frames, 4); ++frame) {
        out.push_back({path, frame, *pixels, file->syntax.compressed()});
    }
    return out;
}

struct Counts {
    std::uint64_t pictures = 0, lines = 0, stopped = 0, late = 0;
};

void decodeAll(const std::vector<FrameRequest>& requests, Counts& counts) {
    FrameDecoder decoder(requests);
    for (std::size_t i = 0; i < requests.size(); ++i) {
        const auto frame = decoder.frame(i);
        if (frame) {
            ++counts.pictures;
            EXPECT_EQ(frame->size(), static_cast<std::size_t>(requests[i].pixels.frameBytes()));
            continue;
        }
        const std::string& line = frame.error().message;
        fuzz::expectOneLine(line);
        ++counts.lines;
        counts.stopped += line.find("the decoder stopped") != std::string::npos ? 1 : 0;
        counts.late += line.find("did not end within") != std::string::npos ? 1 : 0;
    }
}

TEST(CodecFuzz, WholePicturesAreDecodedAndTheLosslessOnesExactly) {
    const test::TemporaryFolder folder;
    for (const Compressed& made : fuzz::compressedFiles()) {
        const auto requests = requestsFor(folder.write("a.dcm", made.file()));
        ASSERT_FALSE(requests.empty()) << made.name;
        const auto frame = FrameDecoder(requests).frame(0);
        ASSERT_TRUE(frame.ok()) << made.name << ": " << frame.error().message;
        const auto* const bytes = reinterpret_cast<const char*>(frame->data());
        EXPECT_TRUE(!made.lossless || std::string(bytes, frame->size()) == test::pixelBytes(made.header))
            << made.name;
    }
}

TEST(CodecFuzz, EveryDamagedPictureIsAPictureOrALine) {
    const std::vector<Compressed> seeds = fuzz::compressedFiles();
    const test::TemporaryFolder folder;
    const std::uint64_t rounds = fuzz::rounds(1500);
    constexpr std::uint64_t kBatch = 500;
    Counts counts;
    for (std::uint64_t first = 0; first < rounds; first += kBatch) {
        std::vector<FrameRequest> requests;
        for (std::uint64_t number = first; number < std::min(first + kBatch, rounds); ++number) {
            const Compressed& seed = seeds[number % seeds.size()];
            const auto wanted =
                requestsFor(folder.write(std::to_string(number - first) + ".dcm", damagedFile(seed, number)));
            requests.insert(requests.end(), wanted.begin(), wanted.end());
        }
        decodeAll(requests, counts);
    }
    fmt::print(
        "{} files: {} pictures, {} lines; the decoder process ended on {} of these, {} took too long\n",
        rounds, counts.pictures, counts.lines, counts.stopped, counts.late);
    EXPECT_GT(counts.pictures, rounds / 20);
    EXPECT_GT(counts.lines, rounds / 4);
}

/// The error line for the only picture of a file.
std::string refusal(const std::string& bytes) {
    const test::TemporaryFolder folder;
    const auto requests = requestsFor(folder.write("a.dcm", bytes));
    if (requests.size() != 1) {
        return "there is not one picture";
    }
    const auto frame = FrameDecoder(requests).frame(0);
    return frame ? "was decoded" : frame.error().message;
}

/// GDCM 3.0 decodes it into the memory allocated for the small one.
TEST(CodecFuzz, ABoxOfAJp2FileHidesNoLargerPicture) {
    EXPECT_THAT(refusal(fuzz::decoyInJp2().file()), testing::HasSubstr("the compressed picture is 21 × 18"));
}

TEST(CodecFuzz, OnlyLosslessJpegHasDifferencesOf16Bits) {
    const Compressed made = fuzz::compressedFiles().front();
    std::string frame = made.frames.front();
    const std::size_t table = frame.find(std::string("\xFF\xC4\x00\x1F\x00", 5));
    ASSERT_EQ(made.name, "JPEG");
    ASSERT_NE(table, std::string::npos);
    frame[table + 4 + 17] = 16;
    EXPECT_THAT(refusal(made.file({frame})), testing::HasSubstr("has too many bits"));
}

TEST(CodecFuzz, HeadersOfJpeg2000EndAndSayNoOtherCode) {
    for (const Compressed& made : fuzz::compressedFiles()) {
        std::string frame = made.frames.front();
        const std::size_t style = frame.find("\xFF\x52");
        if (made.name != "JPEG 2000" || style == std::string::npos) {
            continue;
        }
        std::string other = frame;
        other[style + 12] = '\x40';
        EXPECT_THAT(refusal(made.file({other})), testing::HasSubstr("High-Throughput JPEG 2000"));
        frame.replace(style + 2, 2,
                      test::word(frame.size() - style - 2, 2, true));  // the next marker is the end
        EXPECT_THAT(refusal(made.file({frame})), testing::HasSubstr("does not end"));
        frame.replace(style + 2, 2, test::word(frame.size(), 2, true));
        EXPECT_THAT(refusal(made.file({frame})), testing::HasSubstr("does not end"));
        return;
    }
    FAIL() << "there is no JPEG 2000";
}

}  // namespace
}  // namespace highwater::scan::reader::dicom
