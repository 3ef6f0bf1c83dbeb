#include "core/scan/reader/dicom/codec.h"

#include <fmt/format.h>
#include <gdcmFragment.h>
#include <gdcmJPEG2000Codec.h>
#include <gdcmJPEGCodec.h>
#include <gdcmJPEGLSCodec.h>
#include <gdcmSequenceOfFragments.h>
#include <gdcmTrace.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "core/scan/reader/dicom/codestream.h"
#include "core/scan/reader/dicom/frames.h"
#include "core/scan/reader/dicom/rle.h"

namespace highwater::scan::reader::dicom {
namespace {

gdcm::DataElement encapsulated(const std::vector<std::byte>& stream) {
    gdcm::Fragment fragment;
    fragment.SetByteValue(reinterpret_cast<const char*>(stream.data()), static_cast<uint32_t>(stream.size()));
    const gdcm::SmartPointer<gdcm::SequenceOfFragments> fragments = new gdcm::SequenceOfFragments;
    fragments->AddFragment(fragment);
    gdcm::DataElement out(gdcm::Tag(0x7FE0, 0x0010));
    out.SetVR(gdcm::VR::OB);
    out.SetValue(*fragments);
    return out;
}

std::unique_ptr<gdcm::ImageCodec> codecOf(Coding coding) {
    if (coding == Coding::JpegLs) {
        return std::make_unique<gdcm::JPEGLSCodec>();
    }
    if (coding == Coding::Jpeg2000) {
        return std::make_unique<gdcm::JPEG2000Codec>();
    }
    return std::make_unique<gdcm::JPEGCodec>();
}

/// Returns the width in bits of the samples that GDCM returns for this precision.
int decodedBits(const Codestream& stream) {
    return stream.precision <= 8 ? 8 : stream.precision <= 16 ? 16 : 32;
}

/// Converts little-endian samples from `from` to `to` bits; upper bits are set to zero or cut off.
std::vector<std::byte> widened(std::vector<std::byte> samples, int from, int to) {
    if (from == to) {
        return samples;
    }
    const auto step = static_cast<std::size_t>(from) / 8, wide = static_cast<std::size_t>(to) / 8;
    std::vector<std::byte> out(samples.size() / step * wide);
    for (std::size_t i = 0; i < samples.size() / step; ++i) {
        std::copy_n(samples.data() + i * step, std::min(step, wide), out.data() + i * wide);
    }
    return out;
}

/// Not with gdcm::Bitmap, which tries every codec in turn: if libjpeg refuses a JPEG picture, it would write
/// the picture to /tmp and pass it to the program pvrg-jpeg, if that is installed. Returns samples of
/// decodedBits.
base::Result<std::vector<std::byte>> decodedByGdcm(const std::vector<std::byte>& stream, const Pixels& pixels,
                                                   const Codestream& described, const Syntax& syntax) {
    gdcm::Trace::DebugOff();
    gdcm::Trace::WarningOff();
    gdcm::Trace::ErrorOff();
    const auto bits = static_cast<uint16_t>(decodedBits(described));
    const auto stored = static_cast<uint16_t>(described.precision);
    const unsigned size[3] = {static_cast<unsigned>(pixels.columns), static_cast<unsigned>(pixels.rows), 1};
    const auto codec = codecOf(syntax.coding);
    codec->SetNumberOfDimensions(2);
    codec->SetDimensions(size);
    codec->SetPlanarConfiguration(0);
    codec->SetPhotometricInterpretation(gdcm::PhotometricInterpretation::MONOCHROME2);
    codec->SetPixelFormat(gdcm::PixelFormat(1, bits, stored, static_cast<uint16_t>(stored - 1),
                                            pixels.isSigned ? 1 : 0));  // set last, because it selects
                                                                        // libjpeg's width
    gdcm::DataElement decoded;
    const gdcm::ByteValue* const value =
        codec->Decode(encapsulated(stream), decoded) ? decoded.GetByteValue() : nullptr;
    const auto wanted = static_cast<std::size_t>(pixels.columns * pixels.rows * (bits / 8));
    const std::size_t length = value != nullptr ? std::size_t{value->GetLength()} : 0;
    if (length != wanted && length != wanted + wanted % 2) {  // some of its codecs pad an odd length
        return base::Error{fmt::format("cannot be decoded: its {} data are damaged", syntax.name)};
    }
    const auto* const bytes = reinterpret_cast<const std::byte*>(value->GetPointer());
    return std::vector<std::byte>(bytes, bytes + wanted);
}

}  // namespace

base::Result<std::vector<std::byte>> decodeFrame(const OpenFile& file, const Pixels& pixels,
                                                 const std::vector<Bytes>& fragments) {
    const Coding coding = file.syntax.coding;
    if (coding == Coding::Rle) {
        auto out = unpackRle(joined(fragments), pixels);
        if (out) {
            keepStoredBits(pixels, *out);
        }
        return out;
    }
    Codestream described;
    auto stream = HIGHWATER_TRY(checkedStream(fragments, pixels, coding, described));
    auto samples = decodedByGdcm(stream, pixels, described, file.syntax);
    // CharLS since 2.3 refuses padding before the end marker, which some encoders write (NEMA's MR1_JLSL). A
    // zero there may also be data, so the unchanged stream is tried first.
    constexpr int kMostPadding = 3;
    for (int i = 0; i < kMostPadding && !samples && coding == Coding::JpegLs && dropPadding(stream); ++i) {
        samples = decodedByGdcm(stream, pixels, described, file.syntax);
    }
    if (!samples) {
        return samples.error();
    }
    std::vector<std::byte> out =
        widened(std::move(*samples), decodedBits(described), std::max(pixels.allocated, 8));
    Pixels kept = pixels;
    kept.stored = std::min(pixels.stored, described.precision);
    kept.highBit = kept.stored - 1;
    keepStoredBits(kept, out);
    return out;
}

}  // namespace highwater::scan::reader::dicom
