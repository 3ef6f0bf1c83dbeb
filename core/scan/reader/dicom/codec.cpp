#include "core/scan/reader/dicom/codec.h"

#include <fmt/format.h>
#include <gdcmBitmap.h>
#include <gdcmFragment.h>
#include <gdcmSequenceOfFragments.h>
#include <gdcmTrace.h>

#include <algorithm>

#include "core/scan/reader/dicom/codestream.h"
#include "core/scan/reader/dicom/frames.h"

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

/// Returns the width in bits of the samples that GDCM returns for this precision.
int decodedBits(const Pixels& pixels, const Codestream& stream, Coding coding) {
    return coding == Coding::Rle    ? pixels.allocated
           : stream.precision <= 8  ? 8
           : stream.precision <= 16 ? 16
                                    : 32;
}

/// Converts little-endian samples from `from` to `to` bits; upper bits are set to zero or cut off.
std::vector<std::byte> widened(const std::vector<std::byte>& samples, int from, int to) {
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

}  // namespace

base::Result<std::vector<std::byte>> decodeFrame(const OpenFile& file, const Pixels& pixels,
                                                 std::int64_t frame) {
    const auto frames = framesOf(file, pixels);
    if (!frames) {
        return frames.error();
    }
    const Coding coding = file.syntax.coding;
    Codestream described;
    const auto stream = checkedStream((*frames)[static_cast<std::size_t>(frame)], pixels, coding, described);
    if (!stream) {
        return stream.error();
    }
    gdcm::Trace::DebugOff();
    gdcm::Trace::WarningOff();
    gdcm::Trace::ErrorOff();
    const int bits = decodedBits(pixels, described, coding);
    const int stored = coding == Coding::Rle ? pixels.stored : described.precision;
    gdcm::Bitmap bitmap;
    bitmap.SetNumberOfDimensions(2);
    bitmap.SetDimension(0, static_cast<unsigned>(pixels.columns));
    bitmap.SetDimension(1, static_cast<unsigned>(pixels.rows));
    bitmap.SetPixelFormat(gdcm::PixelFormat(1, static_cast<uint16_t>(bits), static_cast<uint16_t>(stored),
                                            static_cast<uint16_t>(stored - 1), pixels.isSigned ? 1 : 0));
    bitmap.SetPhotometricInterpretation(gdcm::PhotometricInterpretation::MONOCHROME2);
    bitmap.SetTransferSyntax(gdcm::TransferSyntax::GetTSType(file.syntax.uid.c_str()));
    bitmap.SetDataElement(encapsulated(*stream));
    std::vector<std::byte> samples(
        static_cast<std::size_t>(pixels.columns * pixels.rows * (static_cast<std::int64_t>(bits) / 8)));
    if (bitmap.GetBufferLength() != samples.size() ||
        !bitmap.GetBuffer(reinterpret_cast<char*>(samples.data()))) {
        return base::Error{fmt::format("cannot be decoded: its {} data are damaged", file.syntax.name)};
    }
    std::vector<std::byte> out = widened(samples, bits, std::max(pixels.allocated, 8));
    Pixels kept = pixels;
    kept.stored = std::min(pixels.stored, stored);
    kept.highBit = coding == Coding::Rle ? pixels.highBit : kept.stored - 1;
    keepStoredBits(kept, out);
    return out;
}

}  // namespace highwater::scan::reader::dicom
