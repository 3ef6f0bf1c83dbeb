#pragma once

class QWidget;

namespace highwater::desktop {

/// A property that is set on a window which is closed by a signal. Such a window must not ask questions,
/// because nobody is there to answer.
inline constexpr const char* kUnasked = "closed by a signal";

/// Makes SIGINT, SIGTERM and SIGHUP close the window as its user would: what is open is kept. A second signal
/// of the same kind ends the program at once. Call it once.
void closeOnSignals(QWidget& window);

}  // namespace highwater::desktop
