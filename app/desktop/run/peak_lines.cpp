#include "app/desktop/run/peak_lines.h"

#include <QObject>
#include <algorithm>
#include <cstdlib>
#include <limits>
#include <map>

#include "core/base/text.h"
#include "core/capture/capture.h"
#include "core/runs/trace_store.h"
#include "widgets/theme/utf8.h"

namespace highwater::desktop {

namespace {

QString peakBytesText(base::Bytes bytes) {
    return widgets::fromUtf8(base::formatBytes(bytes));
}

}  // namespace

std::vector<script::PeakOwner> linesAtPeak(const std::filesystem::path& runFolder) {
    const auto snapshot = runFolder / "snapshot.pickle";  // of a pretended run
    std::error_code ignored;
    const auto trace = std::filesystem::exists(snapshot, ignored) ? capture::readSnapshot(snapshot)
                                                                  : runs::readTrace(runFolder);
    if (!trace) {
        return {};
    }
    return script::peakOwners(*trace, memory::findPeak(*trace), std::numeric_limits<std::size_t>::max())
        .lines;
}

QList<QStringList> peakLineRows(const std::vector<std::vector<script::PeakOwner>>& runs, qsizetype most) {
    std::map<std::string, std::vector<base::Bytes>> byLine;
    for (std::size_t run = 0; run < runs.size(); ++run) {
        for (const script::PeakOwner& owner : runs[run]) {
            auto& bytes = byLine[owner.name];
            bytes.resize(runs.size());
            bytes[run] += owner.bytes;
        }
    }
    struct PeakLine {
        std::string name;
        std::vector<base::Bytes> bytes;
        base::Bytes change = 0, size = 0;
    };
    std::vector<PeakLine> lines;
    for (auto& [name, bytes] : byLine) {
        PeakLine line{name, bytes};
        for (const base::Bytes each : bytes) {
            line.change = std::max<base::Bytes>(line.change, std::abs(each - bytes.front()));
            line.size = std::max(line.size, each);
        }
        lines.push_back(std::move(line));
    }
    std::ranges::stable_sort(lines, [](const PeakLine& a, const PeakLine& b) {
        return std::pair(a.change, a.size) > std::pair(b.change, b.size);
    });
    QList<QStringList> rows;
    for (const PeakLine& line : lines) {
        if (rows.size() == most) {
            break;
        }
        QStringList& cells = rows.emplace_back(
            QStringList{line.name.empty() ? QObject::tr("(autograd)") : widgets::fromUtf8(line.name)});
        for (std::size_t run = 0; run < line.bytes.size(); ++run) {
            cells << (line.bytes[run] > 0 ? peakBytesText(line.bytes[run]) : QStringLiteral("—"));
            const base::Bytes change = line.bytes[run] - line.bytes.front();
            if (run > 0) {
                cells << (change == 0 ? QString()
                                      : (change < 0 ? QStringLiteral("−") : QStringLiteral("+")) +
                                            peakBytesText(std::abs(change)));
            }
        }
    }
    return rows;
}

}  // namespace highwater::desktop
