#include "app/desktop/scan/cases/series_list.h"

#include <gtest/gtest.h>

#include <QHeaderView>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>

#include "tests/app/desktop/scan/cases/rows.h"
#include "tests/widgets/qt_main.h"
#include "tests/widgets/wait_until.h"

HIGHWATER_QT_MAIN()

namespace highwater::desktop {
namespace {

using highwater::testing::series;

class SeriesListTest : public ::testing::Test {
protected:
    SeriesList list;
    void SetUp() override {
        SeriesRow bad = series("bad");
        bad.problem = "cannot be decoded";
        list.setRows({bad, series("t1"), series("t2"), series("Überblick äöü", {256, 256, 20})});
        list.resize(900, 300);
        list.show();
    }
    QModelIndex cell(int row, int column) const { return list.view().model()->index(row, column); }
    QPoint middleOf(int row) const { return list.view().visualRect(cell(row, 1)).center(); }
};

TEST_F(SeriesListTest, BeginsAtTheFirstThatCanBeChosen) {
    EXPECT_EQ(list.selectedIds(), QStringList{"t1"});
}

TEST_F(SeriesListTest, DoubleClickAndEnterChoose) {
    QSignalSpy chosen(&list, &SeriesList::chosen);
    QTest::mouseClick(list.view().viewport(), Qt::LeftButton, {}, middleOf(2));
    QTest::mouseDClick(list.view().viewport(), Qt::LeftButton, {}, middleOf(2));
    ASSERT_EQ(chosen.size(), 1);
    EXPECT_EQ(chosen[0][0].toStringList(), QStringList{"t2"});
    QTest::keyClick(&list.view(), Qt::Key_Return);
    ASSERT_EQ(chosen.size(), 2);
    EXPECT_EQ(chosen[1][0].toStringList(), QStringList{"t2"});
}

TEST_F(SeriesListTest, WhatCannotBeReadCannotBeChosen) {
    QSignalSpy chosen(&list, &SeriesList::chosen);
    QTest::mouseClick(list.view().viewport(), Qt::LeftButton, {}, middleOf(0));
    QTest::mouseDClick(list.view().viewport(), Qt::LeftButton, {}, middleOf(0));
    EXPECT_EQ(chosen.size(), 0);
    EXPECT_FALSE(list.selectedIds().contains("bad"));
    EXPECT_EQ(cell(0, SeriesModel::Note).data().toString(), "cannot be decoded");
}

TEST_F(SeriesListTest, SeveralAreGivenAsTheyStand) {
    list.view().horizontalHeader()->setSortIndicator(SeriesModel::Description, Qt::DescendingOrder);
    list.select({"t1", "t2"});
    EXPECT_EQ(list.selectedIds(), (QStringList{"t2", "t1"}));
}

TEST_F(SeriesListTest, SortsFiguresAsFigures) {
    list.view().horizontalHeader()->setSortIndicator(SeriesModel::Files, Qt::AscendingOrder);
    EXPECT_EQ(cell(0, SeriesModel::Description).data().toString(), "Überblick äöü") << "20 before 64";
}

TEST_F(SeriesListTest, AsksForPicturesThatCanBeSeen) {
    std::vector<SeriesRow> rows;
    for (int i = 0; i < 200; ++i) {
        rows.push_back(series(qPrintable(QString("s%1").arg(i))));
    }
    list.setRows(rows);
    QSignalSpy scrolled(&list, &SeriesList::scrolled);
    ASSERT_TRUE(test::waitUntil([&] { return !scrolled.empty(); }));
    const QStringList first = list.missingPictures();
    EXPECT_EQ(first.value(0), "s0");
    EXPECT_LT(first.size(), 20) << "not those far below";
    SeriesRow known = series("s0");
    known.picture = QImage(8, 8, QImage::Format_Grayscale8);
    known.picture.fill(Qt::white);
    list.update(known);
    EXPECT_FALSE(list.missingPictures().contains("s0"));
    scrolled.clear();
    list.view().scrollToBottom();
    ASSERT_TRUE(test::waitUntil([&] { return !scrolled.empty(); }));
    EXPECT_TRUE(list.missingPictures().contains("s199"));
    EXPECT_FALSE(list.missingPictures().contains("s1"));
}

TEST_F(SeriesListTest, WhatIsLearntShows) {
    SeriesRow known = series("t1", {320, 320, 96});
    known.volumes = 20;
    known.warnings = QStringList{"IM3 and IM5: a slice is missing between them", "tilted"};
    list.update(known);
    EXPECT_EQ(cell(1, SeriesModel::Size).data().toString(), "320 × 320 × 96, 20 volumes");
    EXPECT_EQ(cell(1, SeriesModel::Note).data().toString(),
              "2 warnings: IM3 and IM5: a slice is missing between them");
    EXPECT_EQ(cell(1, SeriesModel::Note).data(Qt::ToolTipRole).toString().count('\n'), 1);
    EXPECT_EQ(list.selectedIds(), QStringList{"t1"}) << "the choice stays";
}

}  // namespace
}  // namespace highwater::desktop
