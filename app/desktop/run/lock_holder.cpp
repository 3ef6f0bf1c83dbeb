#include "app/desktop/run/lock_holder.h"

#include <unistd.h>

#include <QObject>
#include <QStringList>

#include "core/base/file.h"
#include "widgets/theme/utf8.h"

namespace highwater::desktop {

/// The lines of a lock start with its number. The first line is the holder's; those with an arrow are of
/// processes that wait for it:
///   3: FLOCK  ADVISORY  WRITE 2782 fe:00:10979057 0 EOF
///   3: -> FLOCK  ADVISORY  WRITE 2790 fe:00:10979057 0 EOF
QString lockHolder(std::string_view locks, int pid) {
    QString holder;
    for (const QString& line : widgets::fromUtf8(locks).split('\n')) {
        QStringList words = line.split(' ', Qt::SkipEmptyParts);
        const bool waits = words.value(1) == "->";
        words.removeAll("->");
        if (!waits) {
            holder = words.value(4);
        } else if (!holder.isEmpty() && words.size() > 4 && words[4].toInt() == pid) {
            const auto name = base::readFile("/proc/" + holder.toStdString() + "/comm");
            return name ? QObject::tr("%1 (process %2)").arg(widgets::fromUtf8(*name).trimmed(), holder)
                        : QObject::tr("process %1").arg(holder);
        }
    }
    return {};
}

QString lockHolder() {
    const auto locks = base::readFile("/proc/locks");
    return locks ? lockHolder(*locks, ::getpid()) : QString();
}

}  // namespace highwater::desktop
