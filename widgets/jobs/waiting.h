#pragma once

#include <QString>
#include <functional>

namespace highwater::widgets {

/// Calls `look`, which looks into `folder`, on a thread of its own and returns once it has ended. While that
/// takes longer than half a second, a small window says that the folder does not answer, and can be left.
/// False if it was left: `look` is still at work then, and this program must end without waiting for it.
bool waitForFolder(const QString& folder, std::function<void()> look);

}  // namespace highwater::widgets
