#include "core/report/paginate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace highwater::report {
namespace {

constexpr double kPage = 100;

/// Strips as in documents: headings that stay with what follows, figures, tables with a header.
std::vector<Strip> randomStrips(unsigned seed) {
    std::mt19937 random(seed);
    const auto below = [&random](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
    std::vector<Strip> strips;
    for (int part = below(40); part >= 0; --part) {
        if (below(3) == 0) {
            strips.push_back({double(below(20)), 1.0 + below(15), true, below(6) == 0});
        }
        if (below(2) == 0) {
            strips.push_back({double(below(9)), 1.0 + below(100)});
            continue;
        }
        const int header = static_cast<int>(strips.size());
        strips.push_back({5, 4, true});
        for (int row = below(60); row >= 0; --row) {
            strips.push_back({0, 1.0 + below(below(9) == 0 ? 97 : 10), below(4) == 0, false, header});
        }
        strips.back().keep = false;
    }
    return strips;
}

/// The contents of each page, in order.
std::vector<std::vector<Placed>> pagesOf(const std::vector<Placed>& placed) {
    std::vector<std::vector<Placed>> pages;
    for (const Placed& place : placed) {
        pages.resize(std::max<std::size_t>(pages.size(), static_cast<std::size_t>(place.page) + 1));
        pages[static_cast<std::size_t>(place.page)].push_back(place);
    }
    return pages;
}

TEST(Paginate, LosesNothingAndNothingOverflows) {
    for (unsigned seed = 0; seed < 500; ++seed) {
        const auto strips = randomStrips(seed);
        const auto placed = paginate(strips, kPage);
        std::size_t next = 0;
        for (const Placed& place : placed) {
            EXPECT_TRUE(place.repeated || place.strip == next++) << seed;
        }
        EXPECT_EQ(next, strips.size()) << seed;
        for (const auto& page : pagesOf(placed)) {
            ASSERT_FALSE(page.empty()) << seed;
            double y = 0;
            for (const Placed& place : page) {
                EXPECT_GE(place.y, y - 1e-6) << seed;
                y = place.y + strips[place.strip].height;
            }
            EXPECT_LE(y, kPage + 1e-6) << seed;
            EXPECT_EQ(page.front().y, 0) << seed;
        }
    }
}

TEST(Paginate, KeepsTogetherWhatFitsOnAPage) {
    for (unsigned seed = 0; seed < 500; ++seed) {
        const auto strips = randomStrips(seed);
        std::vector<int> pageOf(strips.size());
        for (const Placed& place : paginate(strips, kPage)) {
            if (!place.repeated) {
                pageOf[place.strip] = place.page;
            }
        }
        for (std::size_t i = 0; i < strips.size(); ++i) {
            double height = 0;
            std::size_t end = i;
            for (; end < strips.size(); ++end) {
                height += strips[end].height + (end > i ? strips[end].before : 0);
                if (!strips[end].keep || (end + 1 < strips.size() && strips[end + 1].newPage)) {
                    break;
                }
            }
            const bool begins = i == 0 || !strips[i - 1].keep || strips[i].newPage;
            const double header = strips[i].header >= 0 ? 4 : 0;
            if (begins && height + header <= kPage && end < strips.size()) {
                EXPECT_EQ(pageOf[i], pageOf[end]) << seed << ", strip " << i;
            }
        }
    }
}

TEST(Paginate, RepeatsATablesHeader) {
    int repeated = 0;
    for (unsigned seed = 0; seed < 500; ++seed) {
        const auto strips = randomStrips(seed);
        for (const auto& page : pagesOf(paginate(strips, kPage))) {
            const Strip& first = strips[page.front().strip];
            if (page.front().repeated) {
                ASSERT_GT(page.size(), 1u) << seed;
                EXPECT_EQ(strips[page[1].strip].header, static_cast<int>(page.front().strip)) << seed;
                ++repeated;
            } else {
                // A header that would leave no room for a row is omitted.
                EXPECT_TRUE(first.header < 0 || first.height > kPage - 4) << seed;
            }
        }
    }
    EXPECT_GT(repeated, 1000);
}

TEST(Paginate, BeginsAPageWhereAskedTo) {
    const std::vector<Strip> strips = {{9, 10, false, true}, {0, 10}, {0, 10, false, true}, {5, 10}};
    const auto placed = paginate(strips, kPage);
    ASSERT_EQ(placed.size(), 4u);
    EXPECT_EQ(placed[0].page, 0) << "no empty page before the first";
    EXPECT_EQ(placed[0].y, 0);
    EXPECT_EQ(placed[1].page, 0);
    EXPECT_EQ(placed[2].page, 1);
    EXPECT_EQ(placed[3].y, 15);
    EXPECT_TRUE(paginate({}, kPage).empty());
}

}  // namespace
}  // namespace highwater::report
