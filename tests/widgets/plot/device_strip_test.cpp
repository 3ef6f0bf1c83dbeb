#include "widgets/plot/device_strip.h"

#include <gmock/gmock.h>

#include <QImage>
#include <QLabel>
#include <QMenu>
#include <QTest>

#include "widgets/plot/xy_chart.h"
#include "widgets/theme/theme.h"

namespace highwater::widgets {
namespace {

class DeviceStripTest : public ::testing::Test {
protected:
    void SetUp() override {
        DeviceStatus status;
        status.when = "now";
        status.parts = {
            {"tensors", "", 4 * base::kGiB}, {"cache", "", base::kGiB}, {"context", "", base::kGiB}};
        status.capacity = 8 * base::kGiB;
        strip.setStatus(status);
        strip.resize(640, strip.height());
        strip.show();
        bar = strip.findChild<XyChart*>();
        ASSERT_NE(bar, nullptr);
    }
    QPoint at(double gib) const {
        const PlotFrame f = bar->frame();
        return QPointF(f.pixelX(gib * static_cast<double>(base::kGiB)), f.pixelY(0)).toPoint();
    }
    DeviceStrip strip;
    XyChart* bar = nullptr;
};

TEST_F(DeviceStripTest, ThePartsLieSideBySideUpToTheCapacity) {
    const QImage image = bar->grab().toImage();
    EXPECT_EQ(image.pixelColor(at(2)), theme().of(memory::Category::Activations));
    EXPECT_EQ(image.pixelColor(at(4.5)), theme().device[0]);
    EXPECT_EQ(image.pixelColor(at(5.5)), theme().device[1]);
    EXPECT_EQ(image.pixelColor(at(7)), theme().field) << "free";
    EXPECT_EQ(bar->frame().x.to, 8.0 * static_cast<double>(base::kGiB));
}

TEST_F(DeviceStripTest, ItZoomsAlongItsLengthAndTheMenuResetsIt) {
    const PlotFrame whole = bar->frame();
    QTest::keyClick(bar, Qt::Key_Plus);
    EXPECT_TRUE(bar->zoomed());
    EXPECT_EQ(bar->frame().y, whole.y);
    strip.contextMenu()->actions().back()->trigger();
    EXPECT_EQ(bar->frame().x, whole.x);
}

TEST_F(DeviceStripTest, OfTheCpuItTellsHowMemoryRanOutAndWhatWouldHaveFitted) {
    DeviceStatus status;
    status.failure = "out of memory: forward of layer conv asked for 27.0 MiB";
    status.advice = "a batch of 2 would have fitted: 144 MiB predicted";
    strip.setStatus(status);
    EXPECT_EQ(strip.title(), "Out of memory");
    QStringList texts;
    for (const QLabel* label : strip.body()->findChildren<QLabel*>()) {
        if (label->isVisible()) {
            texts << label->text();
        }
    }
    EXPECT_TRUE(texts.contains("Forward of layer conv asked for 27.0 MiB")) << texts.join('|').toStdString();
    EXPECT_TRUE(texts.contains("An estimate: a batch of 2 would have fitted: 144 MiB predicted."));
}

TEST_F(DeviceStripTest, ItsDataAreThePartsAndTheCapacity) {
    EXPECT_EQ(strip.data(),
              "part\tsize (bytes)\ntensors\t4294967296\ncache\t1073741824\ncontext\t1073741824\n"
              "capacity\t8589934592\n");
}

}  // namespace
}  // namespace highwater::widgets
