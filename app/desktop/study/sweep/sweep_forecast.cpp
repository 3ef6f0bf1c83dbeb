#include "app/desktop/study/sweep/sweep_forecast.h"

#include <QElapsedTimer>
#include <utility>

#include "app/desktop/experiment/stack/error_words.h"

namespace highwater::desktop {

namespace {

constexpr qint64 kSayEveryMs = 150;  ///< predictions made meanwhile are reported together

}  // namespace

void SweepForecast::start(study::Sweep sweep, const Target& target) {
    job_.run(
        [this, sweep = std::move(sweep), target](const Cancel& cancel) {
            auto cells = study::expand(sweep, target.cuda);
            auto made = std::make_shared<const std::vector<study::Cell>>(cells ? std::move(*cells)
                                                                               : std::vector<study::Cell>());
            const QString problem = cells ? QString() : plainError(cells.error());
            job_.report(cancel, [this, made, problem] { emit expanded(*made, problem); });
            predict(cancel, *made, {}, target);
            return true;
        },
        [this](bool) { emit finished(); });
}

void SweepForecast::start(std::vector<study::Cell> cells, std::vector<bool> known, const Target& target) {
    job_.run(
        [this, cells = std::move(cells), known = std::move(known), target](const Cancel& cancel) {
            predict(cancel, cells, known, target);
            return true;
        },
        [this](bool) { emit finished(); });
}

void SweepForecast::predict(const Cancel& cancel, const std::vector<study::Cell>& cells,
                            const std::vector<bool>& known, const Target& target) {
    QElapsedTimer clock;
    clock.start();
    std::size_t first = 0;
    std::vector<CellForecast> found;
    const auto say = [&] {
        if (!found.empty()) {
            job_.report(cancel,
                        [this, first, now = std::exchange(found, {})] { emit predicted(first, now); });
        }
        clock.restart();
    };
    for (std::size_t c = 0; c < cells.size() && !*cancel; ++c) {
        if (found.empty()) {
            first = c;
        }
        const bool wanted = cells[c].problem.empty() && !(c < known.size() && known[c]);
        found.push_back(wanted ? forecastOf(cells[c].subject.experiment, target.choice) : CellForecast());
        if (clock.elapsed() >= kSayEveryMs) {
            say();
        }
    }
    say();
}

}  // namespace highwater::desktop

#include "moc_sweep_forecast.cpp"
