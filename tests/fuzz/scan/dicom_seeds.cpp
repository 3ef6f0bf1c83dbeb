#include "tests/fuzz/scan/dicom_seeds.h"

#include "tests/core/scan/reader/dicom/builder.h"
#include "tests/fuzz/scan/compressed.h"

namespace highwater::fuzz {
namespace {

using test::Dicom;
using test::Syntax;

constexpr std::size_t kDelimiter = 8;  // after encapsulated pixels; without it no pixels are missing

void add(std::vector<SeedFile>& seeds, const std::string& format, const Dicom& dicom) {
    SeedFile seed;
    seed.format = "DICOM " + format;
    seed.name = "a.dcm";
    seed.bytes = test::dicomFile(dicom);
    seed.needed = seed.bytes.size() - (dicom.syntax == Syntax::Rle ? kDelimiter : 0);
    seeds.push_back(seed);
}

void addDeflated(std::vector<SeedFile>& seeds, const Dicom& dicom) {
    SeedFile seed;
    seed.format = "DICOM deflated";
    seed.name = "a.dcm";
    seed.coded = packed(test::dataSet(dicom), kDeflateBits);
    seed.with = [](const std::string& deflated) {
        return test::wrapped(test::syntaxUid(Syntax::Deflated), deflated);
    };
    seed.bytes = seed.with(seed.coded);
    seed.needed = seed.bytes.size();
    seeds.push_back(seed);
}

void addCompressed(std::vector<SeedFile>& seeds) {
    for (const Compressed& made : compressedFiles()) {
        SeedFile seed;
        seed.format = "DICOM " + made.name;
        seed.name = "a.dcm";
        seed.bytes = made.file();
        seed.needed = seed.bytes.size() - kDelimiter;
        seed.coded = made.frames.front();
        seed.with = [made](const std::string& frame) {
            std::vector<std::string> frames = made.frames;
            frames.front() = frame;
            return made.file(frames);
        };
        seeds.push_back(seed);
    }
}

}  // namespace

void addDicom(std::vector<SeedFile>& seeds) {
    Dicom plain;
    plain.columns = 8;
    plain.rows = 6;
    add(seeds, "explicit", plain);
    for (const auto& [syntax, name] :
         {std::pair{Syntax::Implicit, "implicit"}, std::pair{Syntax::BigEndian, "big-endian"},
          std::pair{Syntax::Rle, "RLE"}}) {
        Dicom other = plain;
        other.syntax = syntax;
        add(seeds, name, other);
    }
    Dicom nested = plain;
    nested.undefinedLengths = true;
    nested.extra[0x00081140] = test::sequence({{{0x00081155, test::text("UI", "1.2.3.4")}}});
    add(seeds, "nested", nested);
    Dicom bytes = plain;
    bytes.bits = bytes.stored = 8;
    bytes.isSigned = false;
    add(seeds, "8 bits", bytes);
    addDeflated(seeds, nested);
    addCompressed(seeds);
}

}  // namespace highwater::fuzz
