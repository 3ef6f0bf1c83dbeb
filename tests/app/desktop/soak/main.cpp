#include <QSurfaceFormat>

#include "core/base/heap.h"
#include "tests/widgets/qt_main.h"

int main(int argc, char** argv) {
    highwater::base::boundHeap();  // as the program does
    QSurfaceFormat format;         // what VTK needs where there is a display
    format.setRenderableType(QSurfaceFormat::OpenGL);
    format.setVersion(3, 2);
    format.setProfile(QSurfaceFormat::CoreProfile);
    format.setDepthBufferSize(24);
    QSurfaceFormat::setDefaultFormat(format);
    return highwater::testing::qtMain(argc, argv);
}
