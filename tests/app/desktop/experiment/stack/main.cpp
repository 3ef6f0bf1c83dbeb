#include "tests/widgets/qt_main.h"

HIGHWATER_QT_MAIN()
