#pragma once

class QWidget;

namespace highwater::desktop {

/// The property of a window that is being closed by a signal. Such a window must not ask questions, because
/// nobody may be there to answer.
inline constexpr const char* kUnasked = "closed by a signal";

/// Makes SIGINT, SIGTERM and SIGHUP close the window as its user would, keeping what is open. A second signal
/// of the same kind ends the program at once. Call it once.
void closeOnSignals(QWidget& window);

}  // namespace highwater::desktop
