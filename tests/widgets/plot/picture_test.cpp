#include "widgets/plot/picture.h"

#include <gmock/gmock.h>

#include <QApplication>
#include <QClipboard>
#include <QDir>
#include <QFile>
#include <QImage>
#include <QMenu>
#include <QTemporaryDir>

#include "tests/widgets/plot/sample_run.h"
#include "widgets/plot/growth_plot.h"
#include "widgets/plot/plot_menu.h"
#include "widgets/plot/plot_panel.h"

namespace highwater::widgets {
namespace {

using namespace highwater::testing;
using ::testing::HasSubstr;
using ::testing::Not;

GrowthCurve sampleCurve() {
    GrowthCurve curve;
    curve.axis = "width";
    curve.device = "NVIDIA T4";
    curve.from = 64;
    curve.to = 512;
    curve.capacity = 8 * kGiB;
    for (int w = 64; w <= 512; w += 64) {
        const base::Bytes peak = w * w * kMiB / 32;
        curve.points.push_back({w,
                                peak - kMiB,
                                peak,
                                peak + kMiB,
                                peak < curve.capacity ? predict::Fits::Yes : predict::Fits::No,
                                1.5 * w,
                                {}});
    }
    curve.current = 128;
    return curve;
}

class PictureTest : public ::testing::Test {
protected:
    void SetUp() override {
        plot.setCurve(sampleCurve());
        plot.resize(700, 400);
        plot.show();
    }
    QString path(const char* name) const { return folder.filePath(name); }
    QByteArray saved(const char* name) {
        const auto done = savePicture(plot, path(name));
        EXPECT_TRUE(done) << (done ? "" : done.error().message);
        QFile file(path(name));
        EXPECT_TRUE(file.open(QIODevice::ReadOnly));
        return file.readAll();
    }
    static QAction* action(QMenu& menu, const QString& text) {
        for (QAction* action : menu.actions()) {
            if (action->text() == text) {
                return action;
            }
        }
        ADD_FAILURE() << "no " << text.toStdString();
        return nullptr;
    }
    GrowthPlot plot;
    QTemporaryDir folder;
};

TEST_F(PictureTest, PngHasTwiceThePoints) {
    saved("a.png");
    EXPECT_EQ(QImage(path("a.png")).size(), QSize(1400, 800));
}

TEST_F(PictureTest, SvgHoldsShapesAndTextOfTheWholePanel) {
    const std::string svg = saved("a.svg").toStdString();
    EXPECT_THAT(svg, HasSubstr("<svg"));
    EXPECT_THAT(svg, HasSubstr("Predicted peak by width")) << "the header";
    EXPECT_THAT(svg, HasSubstr(">fits<")) << "the chart's labels";
    EXPECT_THAT(svg, HasSubstr(">300<")) << "a tick";
    EXPECT_THAT(svg, HasSubstr("<polyline"));
    EXPECT_THAT(svg, Not(HasSubstr("<image"))) << "no pixels";
}

TEST_F(PictureTest, PdfIsOnePageOfTheWidgetsSize) {
    const QByteArray pdf = saved("A.PDF");
    EXPECT_TRUE(pdf.startsWith("%PDF-"));
    EXPECT_EQ(pdf.count("/Type /Page\n"), 1);
    const double points = 72.0 / plot.logicalDpiX();
    const QString box = QString("/MediaBox [0 0 %1").arg(700 * points, 0, 'g', 3);
    EXPECT_THAT(pdf.toStdString(), HasSubstr(box.toStdString()));
}

TEST_F(PictureTest, WhatCannotBeSavedIsOneLineAndLeavesNoFile) {
    const auto ending = savePicture(plot, path("a.gif"));
    ASSERT_FALSE(ending);
    EXPECT_EQ(ending.error().message, "a.gif: a picture's name ends in .png, .svg or .pdf.");
    for (const char* name : {"no/such/a.png", "no/such/a.svg", "no/such/a.pdf"}) {
        const auto place = savePicture(plot, path(name));
        ASSERT_FALSE(place) << name;
        EXPECT_THAT(place.error().message, HasSubstr("cannot be written"));
        EXPECT_THAT(place.error().message, Not(HasSubstr("\n")));
    }
    EXPECT_TRUE(QDir(folder.path()).isEmpty());
}

TEST_F(PictureTest, APictureOfAPartStaysWithinItsAxes) {
    emit plot.panel().chart().viewRequested(256, 320);
    const PlotFrame frame = plot.panel().chart().frame();
    EXPECT_DOUBLE_EQ(frame.x.from, 256);
    const QString svg = QString::fromUtf8(saved("part.svg"));
    int curves = 0;
    for (const QString& line : svg.split("<polyline").mid(1)) {
        const QStringList points = line.section("points=\"", 1).section('"', 0, 0).simplified().split(' ');
        if (points.size() == 2) {
            continue;  // a tick's or a mark's
        }
        ++curves;
        for (const QString& point : points) {  // those of 64 and 512 would lie far outside of the widget
            const double x = point.section(',', 0, 0).toDouble();
            EXPECT_GE(x, frame.rect.left() - 10) << point.toStdString();
            EXPECT_LE(x, frame.rect.right() + 10) << point.toStdString();
        }
    }
    EXPECT_EQ(curves, 1);
}

TEST_F(PictureTest, TheMenuCopiesThePictureAndTheData) {
    const auto menu = plot.panel().contextMenu();
    action(*menu, "Copy picture")->trigger();
    EXPECT_EQ(QApplication::clipboard()->image().size(), plot.panel().size() * 2);
    action(*menu, "Copy data")->trigger();
    const QStringList lines = QApplication::clipboard()->text().split('\n');
    ASSERT_EQ(lines.size(), 10) << "a header, 8 points and the end";
    EXPECT_EQ(lines[0], "width\tpeak (bytes)\tlow (bytes)\thigh (bytes)\tfits\tstep (ms)");
    EXPECT_EQ(lines[1], "64\t134217728\t133169152\t135266304\tfits\t96");
    EXPECT_EQ(lines[8].split('\t')[4], "does not fit");
    EXPECT_NE(action(*menu, "Save picture…"), nullptr);
}

TEST_F(PictureTest, TheMenuResetsTheViewAndMakesTheAxesLogarithmic) {
    Chart& chart = plot.panel().chart();
    emit chart.viewRequested(128, 256);
    ASSERT_DOUBLE_EQ(chart.scene().from, 128);
    const auto menu = plot.panel().contextMenu();
    action(*menu, "Reset view")->trigger();
    EXPECT_DOUBLE_EQ(chart.scene().from, 64);
    EXPECT_FALSE(chart.scene().logY);
    action(*menu, "Logarithmic axes")->trigger();
    EXPECT_TRUE(chart.scene().logX);
    EXPECT_TRUE(chart.scene().logY);
    const PlotFrame f = chart.frame();
    EXPECT_NEAR(f.pixelX(128) - f.pixelX(64), f.pixelX(512) - f.pixelX(256), 1e-6) << "doubling is a length";
    EXPECT_GT(f.y.from, 0);
    EXPECT_LT(f.y.from, 64 * 64 / 32 * static_cast<double>(kMiB));
    ASSERT_GT(chart.scene().y.ticks.size(), 2u);
    EXPECT_EQ(chart.scene().y.ticks[1].at / chart.scene().y.ticks[0].at,
              chart.scene().y.ticks[2].at / chart.scene().y.ticks[1].at);
    action(*menu, "Logarithmic axes")->trigger();
    EXPECT_FALSE(chart.scene().logX);
    EXPECT_EQ(chart.scene().lower, 0);
}

TEST(Tabbed, CellsStayOneCell) {
    EXPECT_EQ(tabbed({{"a\tb", "c\nd"}, {"1", "2"}}), "a b\tc d\n1\t2\n");
    EXPECT_EQ(exactly(0.1), "0.1");
    EXPECT_EQ(exactly(1e9 / 3).toDouble(), 1e9 / 3);
}

}  // namespace
}  // namespace highwater::widgets
