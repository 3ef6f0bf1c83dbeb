#include "app/desktop/study/sweep/sweep_forecast.h"

#include <QElapsedTimer>
#include <QPointer>
#include <utility>

#include "app/desktop/experiment/stack/error_words.h"

namespace highwater::desktop {

namespace {

constexpr qint64 kSayEveryMs = 150;  ///< predictions made meanwhile are reported together

}  // namespace

/// Calls `act` on the window's thread, unless another request has been made by then.
template <class Act>
void SweepForecast::post(const Cancel& cancel, Act act) {
    QMetaObject::invokeMethod(
        qApp,
        [guard = QPointer<SweepForecast>(this), cancel, act = std::move(act)] {
            if (guard && guard->cancel_ == cancel && !*cancel) {
                act();
            }
        },
        Qt::QueuedConnection);
}

void SweepForecast::stop() {
    if (cancel_) {
        *cancel_ = true;
        cancel_.reset();
    }
}

void SweepForecast::start(study::Sweep sweep, const Target& target) {
    stop();
    cancel_ = std::make_shared<std::atomic<bool>>(false);
    thread_.run(
        [this, cancel = cancel_, sweep = std::move(sweep), target] {
            if (*cancel) {
                return true;
            }
            auto cells = study::expand(sweep, target.cuda);
            auto made = std::make_shared<const std::vector<study::Cell>>(cells ? std::move(*cells)
                                                                               : std::vector<study::Cell>());
            const QString problem = cells ? QString() : plainError(cells.error());
            post(cancel, [this, made, problem] { emit expanded(*made, problem); });
            predict(cancel, *made, {}, target);
            return true;
        },
        this, [](bool) {});
}

void SweepForecast::start(std::vector<study::Cell> cells, std::vector<bool> known, const Target& target) {
    stop();
    cancel_ = std::make_shared<std::atomic<bool>>(false);
    thread_.run(
        [this, cancel = cancel_, cells = std::move(cells), known = std::move(known), target] {
            predict(cancel, cells, known, target);
            return true;
        },
        this, [](bool) {});
}

void SweepForecast::predict(const Cancel& cancel, const std::vector<study::Cell>& cells,
                            const std::vector<bool>& known, const Target& target) {
    QElapsedTimer clock;
    clock.start();
    std::size_t first = 0;
    std::vector<CellForecast> found;
    const auto say = [&] {
        if (!found.empty()) {
            post(cancel, [this, first, now = std::exchange(found, {})] { emit predicted(first, now); });
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
    post(cancel, [this] {
        cancel_.reset();
        emit finished();
    });
}

}  // namespace highwater::desktop

#include "moc_sweep_forecast.cpp"
