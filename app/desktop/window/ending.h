#pragma once

class QWidget;

namespace highwater::desktop {

/// The property of a window that is closed by a signal: nobody is there to answer a question.
inline constexpr const char* kUnasked = "closed by a signal";

/// SIGINT, SIGTERM and SIGHUP close the window as its user would: what is open is kept. A second signal of
/// the kind ends the program at once. Call it once.
void closeOnSignals(QWidget& window);

}  // namespace highwater::desktop
