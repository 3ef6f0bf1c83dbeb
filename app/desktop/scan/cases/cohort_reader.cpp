#include "app/desktop/scan/cases/cohort_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/desktop/scan/scan_sources.h"
#include "core/base/open_files.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/scan/scan_client.h"
#include "core/volume/volume_header.h"
#include "core/volume/write_volume.h"

namespace highwater::desktop {

namespace {

using base::Bytes;

/// Of the progress: reading headers takes a fraction of the time.
constexpr double kHeaderShare = 0.1;
constexpr Bytes kPrefixBytes = 16 * base::kKiB;  ///< in a handover file, before its voxels

scan::ReadOptions optionsOf(const stack::ScanSource& source, const CohortReading& reading) {
    scan::ReadOptions how;
    how.series = source.series;
    how.volume = source.volume;
    how.cancel = reading.cancel;
    return how;
}

/// Reads all headers: computes the size of the volumes, and checks that each case is on one grid.
base::Result<Bytes> lookThrough(const CohortReading& reading) {
    Bytes total = 0;
    std::array<std::int64_t, 3> size{};
    const std::size_t cases = reading.sources.size() / reading.perCase;
    for (std::size_t i = 0; i < reading.sources.size(); ++i) {
        const stack::ScanSource& source = reading.sources[i];
        const std::size_t theCase = i / reading.perCase;
        if (reading.progress) {
            reading.progress(
                QObject::tr("looking at case %1 of %2").arg(theCase + 1).arg(cases).toStdString(),
                kHeaderShare * static_cast<double>(i) / static_cast<double>(reading.sources.size()));
        }
        const auto header = HIGHWATER_TRY(scan::readScanHeader(source.path, optionsOf(source, reading)));
        if (i % reading.perCase == 0) {
            size = header.geometry.size;
        }
        if (header.geometry.size != size) {
            return base::Error{fmt::format("{}: its size {} differs from {}'s {}; a case must have one grid",
                                           source.path, base::formatShape(header.geometry.size),
                                           reading.sources[theCase * reading.perCase].path,
                                           base::formatShape(size))};
        }
        const auto bytes = volume::volumeBytes(header);
        total += (bytes ? *bytes : 0) + kPrefixBytes;
    }
    return total;
}

}  // namespace

base::Result<std::vector<volume::Volume>> readCohort(const CohortReading& reading) {
    HIGHWATER_TRY(base::allowOpenFiles(reading.sources.size()));
    const auto needed = HIGHWATER_TRY(lookThrough(reading));
    HIGHWATER_TRY(volume::checkTemporaryRoom("the cohort's volumes take", needed, reading.room));
    std::vector<volume::Volume> volumes;
    const std::size_t files = reading.sources.size(), cases = files / reading.perCase;
    for (std::size_t i = 0; i < files; ++i) {
        const stack::ScanSource& source = reading.sources[i];
        scan::ReadOptions how = optionsOf(source, reading);
        how.progress = [&](const scan::Progress& p) {
            const double part = std::clamp(p.fraction, 0.0, 1.0);
            if (reading.progress) {
                reading.progress(QObject::tr("reading case %1 of %2")
                                     .arg(i / reading.perCase + 1)
                                     .arg(cases)
                                     .toStdString(),
                                 kHeaderShare + (1 - kHeaderShare) * (static_cast<double>(i) + part) /
                                                    static_cast<double>(files));
            }
        };
        how.progress({{}, 0});
        auto volume = HIGHWATER_TRY(scan::readScan(source.path, how));
        volumes.push_back(std::move(volume));
    }
    return volumes;
}

std::optional<CohortReader::Key> CohortReader::keyOf(const stack::Experiment& experiment) {
    const stack::ScanInput* input = cohortOf(experiment);
    if (!input) {
        return {};
    }
    return Key{input->cohort, input->channels, needsLabels(experiment)};
}

bool CohortReader::has(const stack::Experiment& experiment) const {
    return !reading() && !volumes_.empty() && key_ == keyOf(experiment);
}

void CohortReader::cancel() {
    if (!reading()) {
        return;
    }
    job_.cancel();
    key_.reset();
    what_.clear();
}

void CohortReader::drop() {
    cancel();
    key_.reset();
    volumes_.clear();
}

void CohortReader::read(const stack::Experiment& experiment) {
    const auto key = keyOf(experiment);
    if (!key || (key_ == key && (reading() || !volumes_.empty()))) {
        return;
    }
    drop();
    key_ = key;
    what_ = tr("reading the cohort");
    const auto work =
        [this, experiment, perCase = static_cast<std::size_t>(key->channels + (key->labels ? 1 : 0))](
            const widgets::LatestJob::Cancel& cancel) -> base::Result<std::vector<volume::Volume>> {
        const auto report = [this, &cancel](const std::string& what, double fraction) {
            job_.report(cancel, [this, what = QString::fromStdString(what), fraction] {
                what_ = tr("%1, %2 %").arg(what).arg(static_cast<int>(100 * fraction));
                emit progressed();
            });
        };
        auto sources = HIGHWATER_TRY(sourcesForRun(experiment));
        return readCohort({std::move(sources), perCase, report, cancel.get(), {}});
    };
    job_.run(work, [this](base::Result<std::vector<volume::Volume>> volumes) {
        what_.clear();
        if (volumes) {
            volumes_ = std::move(*volumes);
            emit done();
        } else {
            key_.reset();
            emit failed(QString::fromStdString(volumes.error().message));
        }
    });
    emit progressed();
}

}  // namespace highwater::desktop

#include "moc_cohort_reader.cpp"
