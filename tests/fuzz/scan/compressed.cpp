#include "tests/fuzz/scan/compressed.h"

#include <gdcmFragment.h>
#include <gdcmJPEG12Codec.h>
#include <gdcmJPEG2000Codec.h>
#include <gdcmJPEGCodec.h>
#include <gdcmJPEGLSCodec.h>
#include <gdcmRLECodec.h>
#include <gdcmSequenceOfFragments.h>

#include <sstream>
#include <stdexcept>

#include "tests/fuzz/scan/progressive.h"

namespace highwater::fuzz {
namespace {

using test::Dicom;

constexpr const char* kBaseline = "1.2.840.10008.1.2.4.50";
constexpr const char* kExtended = "1.2.840.10008.1.2.4.51";
constexpr const char* kProgressive = "1.2.840.10008.1.2.4.55";
constexpr const char* kLossless = "1.2.840.10008.1.2.4.70";
constexpr const char* kJpegLs = "1.2.840.10008.1.2.4.80";
constexpr const char* kNearJpegLs = "1.2.840.10008.1.2.4.81";
constexpr const char* kJpeg2000 = "1.2.840.10008.1.2.4.90";
constexpr const char* kLossyJpeg2000 = "1.2.840.10008.1.2.4.91";
constexpr const char* kRle = "1.2.840.10008.1.2.5";

/// Gradients, a flat part and some noise, so that every kind of code occurs.
Dicom picture(int bits, int stored, bool isSigned, std::int64_t shift = 0) {
    Dicom d;
    d.syntax = test::Syntax::Jpeg2000;  // its name is in Compressed::uid
    d.columns = 21;
    d.rows = 18;
    d.bits = bits;
    d.stored = stored;
    d.isSigned = isSigned;
    const std::int64_t values = std::int64_t{1} << (isSigned ? stored - 1 : stored);
    for (std::int64_t i = 0; i < d.columns * d.rows; ++i) {
        const std::int64_t x = i % d.columns, y = i / d.columns;
        const std::int64_t noise = (x * 31 + y * 17 + x * y * 7) % 13;
        d.values.push_back(y > 13 ? 3 : (values * x / 25 + y * 5 + noise + shift) % values);
    }
    return d;
}

void prepare(gdcm::ImageCodec& codec, const Dicom& d) {
    const unsigned size[3] = {static_cast<unsigned>(d.columns), static_cast<unsigned>(d.rows), 1};
    codec.SetNumberOfDimensions(2);
    codec.SetDimensions(size);
    codec.SetPlanarConfiguration(0);
    codec.SetPhotometricInterpretation(gdcm::PhotometricInterpretation::MONOCHROME2);
    codec.SetPixelFormat(gdcm::PixelFormat(1, static_cast<uint16_t>(d.bits), static_cast<uint16_t>(d.stored),
                                           static_cast<uint16_t>(d.stored - 1), d.isSigned ? 1 : 0));
}

std::string encoded(gdcm::ImageCodec& codec, const Dicom& d) {
    prepare(codec, d);
    const std::string bytes = test::pixelBytes(d);
    gdcm::DataElement in(gdcm::Tag(0x7FE0, 0x0010)), out;
    in.SetByteValue(bytes.data(), static_cast<uint32_t>(bytes.size()));
    if (!codec.Code(in, out) || out.GetSequenceOfFragments() == nullptr) {
        throw std::runtime_error("GDCM does not encode a seed");
    }
    const gdcm::ByteValue* const value = out.GetSequenceOfFragments()->GetFragment(0).GetByteValue();
    return {value->GetPointer(), value->GetLength()};
}

std::string jpeg(const Dicom& d, bool lossless) {
    gdcm::JPEGCodec codec;
    codec.SetLossless(lossless);
    return encoded(codec, d);
}

/// JPEGCodec has no lossy mode for 12 bits in 16, but the codec that it would call does.
std::string jpeg12(const Dicom& d) {
    gdcm::JPEG12Codec codec;
    prepare(codec, d);
    codec.SetLossless(false);
    const std::string bytes = test::pixelBytes(d);
    std::ostringstream out;
    if (!codec.InternalCode(bytes.data(), bytes.size(), out)) {
        throw std::runtime_error("GDCM does not encode a seed of 12 bits");
    }
    return out.str();
}

std::string jpegLs(const Dicom& d, bool lossless) {
    gdcm::JPEGLSCodec codec;
    codec.SetLossless(lossless);
    codec.SetLossyError(3);
    return encoded(codec, d);
}

std::string jpeg2000(const Dicom& d, bool lossless, unsigned tile = 0) {
    gdcm::JPEG2000Codec codec;
    codec.SetReversible(lossless);
    if (tile > 0) {
        codec.SetTileSize(tile, tile);
    }
    return encoded(codec, d);
}

std::string box(const std::string& type, const std::string& content) {
    return test::word(content.size() + 8, 4, true) + type + content;
}

/// T.800, annex I: the signature, the file's type, `between`, the header and the codestream.
std::string jp2(const Dicom& d, const std::string& codestream, const std::string& between) {
    const std::string size = test::word(static_cast<std::uint64_t>(d.rows), 4, true) +
                             test::word(static_cast<std::uint64_t>(d.columns), 4, true);
    const std::string gray =
        std::string("\x01\x00\x00", 3) + test::word(17, 4, true);  // enumerated; 17 is grayscale
    return box("jP  ", "\x0D\x0A\x87\x0A") + box("ftyp", "jp2 " + std::string(4, '\0') + "jp2 ") + between +
           box("jp2h", box("ihdr", size + test::word(1, 2, true) +
                                       std::string{static_cast<char>(d.stored - 1 + (d.isSigned ? 0x80 : 0)),
                                                   7, 0, 0}) +
                           box("colr", gray)) +
           box("jp2c", codestream);
}

void inFrames(Compressed& file) {
    file.header.extra[0x00280008] = test::text("IS", std::to_string(file.frames.size()));
}

}  // namespace

std::string Compressed::file(const std::vector<std::string>& instead) const {
    Dicom d = header;
    d.fragments = instead;
    return test::wrapped(uid, test::dataSet(d));
}

std::vector<Compressed> compressedFiles() {
    const Dicom bytes = picture(8, 8, false), words = picture(16, 16, true), twelve = picture(16, 12, false);
    gdcm::RLECodec rle, rleOfBytes;
    std::vector<Compressed> out{
        {"JPEG", kBaseline, bytes, {jpeg(bytes, false)}},
        {"JPEG, 12 bits", kExtended, twelve, {jpeg12(twelve)}},
        {"JPEG, progressive", kProgressive, bytes, {progressiveJpeg(bytes.columns, bytes.rows)}},
        {"JPEG lossless, 8 bits", kLossless, bytes, {jpeg(bytes, true)}, true},
        {"JPEG lossless, 16 bits", kLossless, words, {jpeg(words, true)}, true},
        {"JPEG-LS", kJpegLs, words, {jpegLs(words, true)}, true},
        {"JPEG-LS, near lossless", kNearJpegLs, bytes, {jpegLs(bytes, false)}},
        {"JPEG 2000", kJpeg2000, words, {jpeg2000(words, true)}, true},
        {"JPEG 2000, lossy, in tiles", kLossyJpeg2000, bytes, {jpeg2000(bytes, false, 8)}},
        {"JPEG 2000 in JP2", kJpeg2000, twelve, {jp2(twelve, jpeg2000(twelve, true), "")}, true},
        {"RLE, 8 bits", kRle, bytes, {encoded(rleOfBytes, bytes)}, true},
        {"RLE, 16 bits", kRle, words, {encoded(rle, words)}, true},
    };
    const Dicom other = picture(16, 16, true, 100);
    Compressed frames{
        "JPEG 2000, 2 frames", kJpeg2000, words, {jpeg2000(words, true), jpeg2000(other, true)}, true};
    inFrames(frames);
    out.push_back(frames);
    // One more fragment than frames: the starts of the codestreams separate them.
    const std::string first = jpegLs(words, true);
    Compressed pieces{"JPEG-LS, 2 frames in 3 pieces",
                      kJpegLs,
                      words,
                      {first.substr(0, 60), first.substr(60), jpegLs(other, true)},
                      true};
    pieces.header.extra[0x00280008] = test::text("IS", "2");
    out.push_back(pieces);
    return out;
}

Compressed decoyInJp2() {
    Dicom said = picture(16, 16, true);
    said.columns = 4;
    said.rows = 3;
    const Dicom true_ = picture(16, 16, true);
    const std::string codestream = jpeg2000(true_, true);
    std::string decoy = codestream.substr(0, 49);  // SOC and SIZ of one component
    decoy.replace(8, 8, test::word(4, 4, true) + test::word(3, 4, true));
    return {"JPEG 2000, decoy", kJpeg2000, said, {jp2(true_, codestream, box("free", decoy))}};
}

}  // namespace highwater::fuzz
