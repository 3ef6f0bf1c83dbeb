#include "app/desktop/shell/stall_meter.h"

#include <unistd.h>

#include <QCoreApplication>
#include <QEvent>
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>

namespace highwater::desktop {

namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kEvery = std::chrono::milliseconds(5);

class Ping : public QEvent {
public:
    static QEvent::Type kind() {
        static const auto type = static_cast<QEvent::Type>(QEvent::registerEventType());
        return type;
    }
    Ping() : QEvent(kind()), posted(Clock::now()) {}
    Clock::time_point posted;
};

/// Milliseconds since this process was started, with the kernel's resolution of 10 ms: its start time is the
/// 22nd field of /proc/self/stat, in ticks since boot (proc(5)); the name in the second field may contain
/// spaces.
double sinceProcessStart() {
    std::ifstream file("/proc/self/stat");
    const std::string text((std::istreambuf_iterator<char>(file)), {});
    std::istringstream fields(text.substr(text.rfind(')') + 1));
    std::string field;
    for (int i = 3; i <= 22; ++i) {
        fields >> field;
    }
    timespec now{};
    clock_gettime(CLOCK_BOOTTIME, &now);
    const double started = std::strtod(field.c_str(), nullptr) / static_cast<double>(sysconf(_SC_CLK_TCK));
    return (static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9 - started) * 1000;
}

}  // namespace

StallMeter::StallMeter(QObject* parent) : QObject(parent) {
    Ping::kind();
    thread_ = std::thread([this] {
        while (!stop_) {
            std::this_thread::sleep_for(kEvery);
            if (!pending_.exchange(true)) {
                QCoreApplication::postEvent(this, new Ping, Qt::HighEventPriority);
            }
        }
    });
}

StallMeter::~StallMeter() {
    stop_ = true;
    thread_.join();
}

void StallMeter::reset() {
    waits_.clear();
}

void StallMeter::painted() {
    if (firstPaintMs_ == 0) {
        firstPaintMs_ = sinceProcessStart();
    }
}

bool StallMeter::event(QEvent* event) {
    if (event->type() != Ping::kind()) {
        return QObject::event(event);
    }
    const std::chrono::duration<double, std::milli> waited = Clock::now() - static_cast<Ping*>(event)->posted;
    waits_.push_back(waited.count());
    pending_ = false;
    return true;
}

std::string StallMeter::report() const {
    std::vector<double> sorted = waits_;
    std::sort(sorted.begin(), sorted.end(), std::greater<>());
    const auto at = [&](double part) {
        return sorted.empty()
                   ? 0
                   : sorted[static_cast<std::size_t>(part * static_cast<double>(sorted.size() - 1))];
    };
    nlohmann::ordered_json json;
    json["first_paint_ms"] = firstPaintMs_;
    json["n"] = sorted.size();
    json["median_ms"] = at(0.5);
    json["p99_ms"] = at(0.01);
    json["max_ms"] = at(0);
    json["over_50_ms"] = std::count_if(sorted.begin(), sorted.end(), [](double ms) { return ms > 50; });
    sorted.resize(std::min<std::size_t>(sorted.size(), 10));
    json["stalls_ms"] = sorted;
    return json.dump(2) + "\n";
}

}  // namespace highwater::desktop

#include "moc_stall_meter.cpp"
