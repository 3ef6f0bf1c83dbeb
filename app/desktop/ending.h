#pragma once

class QWidget;

namespace highwater::desktop {

/// SIGINT, SIGTERM and SIGHUP close the window as its user would: what is open is kept. A second signal of
/// the kind ends the program at once. Call it once.
void closeOnSignals(QWidget& window);

}  // namespace highwater::desktop
