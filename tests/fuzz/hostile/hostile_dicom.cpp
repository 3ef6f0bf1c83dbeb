#include "tests/core/scan/reader/dicom/builder.h"
#include "tests/fuzz/hostile/kinds.h"
#include "tests/fuzz/mutator.h"

namespace highwater::fuzz {

namespace {

using test::Elements;

/// This many frames of one pixel each.
test::Dicom tiny(std::size_t frames) {
    test::Dicom d;
    d.columns = d.rows = 1;
    d.extra[0x00280008] = test::text("IS", std::to_string(frames));
    return d;
}

/// Each frame has its own group, which is empty or contains another orientation.
Elements groupOf(std::size_t frame, bool turned) {
    Elements group;
    if (turned) {
        group[0x00289110] = test::sequence(
            {{{0x00280030, test::decimals(std::array<double, 2>{1.0 + static_cast<double>(frame), 1})}}});
    }
    return group;
}

}  // namespace

HostileInput hostileDicom(Draw& draw) {
    std::string what;
    test::Dicom d = tiny(1);
    const std::size_t shape = draw.below(7), count = draw.count(600);
    if (shape == 0) {
        what = "compressed frames";
        d = tiny(count);
        d.syntax = test::Syntax::Rle;
        for (std::size_t i = 0; i < count; ++i) {
            d.fragments.push_back(test::rleFrame(d));
        }
    } else if (shape == 1) {
        what = "more frames than there are";
        d = tiny(std::size_t{1} << (8 + draw.below(16)));
    } else if (shape == 2 || shape == 3) {
        what = shape == 2 ? "frames with groups" : "frames of many sizes";
        d = tiny(count);
        std::vector<Elements> groups;
        for (std::size_t i = 0; i < count; ++i) {
            groups.push_back(groupOf(i, shape == 3));
        }
        d.extra[0x52009230] = test::sequence(groups);
        d.pixels = std::string(2 * count, '\1');
    } else if (shape == 4) {
        what = "elements";
        for (std::size_t i = 0; i < 8 * count; ++i) {
            d.extra[static_cast<std::uint32_t>(0x00310000 + i)] = test::text("LO", "x");
        }
    } else if (shape == 5) {
        what = "sequences in each other";
        Elements inner;
        for (std::size_t i = 0; i < 5 + draw.below(200); ++i) {
            inner = Elements{{0x00081140, test::sequence({inner})}};
        }
        d.undefinedLengths = draw.below(2) == 0;
        d.extra[0x00081140] = test::sequence({inner});
    } else {
        what = "a long number";
        d.extra[0x00280030] = test::text("DS", std::string(10 * count, '1') + "\\1");
    }
    std::string bytes = test::dicomFile(d);
    if (draw.below(4) == 0) {
        bytes = mutate(bytes, draw.seed());
    }
    return {"dicom: " + what, {{"scan.dcm", bytes}}, {"volume", "info", "scan.dcm"}};
}

}  // namespace highwater::fuzz
