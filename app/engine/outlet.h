#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "app/engine/recording.h"

namespace highwater::engine_app {

/// Where events go: the run's folder, then stdout, from a thread of its own, in order. A state is on disk
/// before it is said. A closed stdout does not stop the run; a disk that cannot keep up makes take() wait.
class Outlet {
public:
    /// `recording`: none where the run is not recorded.
    Outlet(std::optional<Recording> recording, bool toStdout);
    ~Outlet();  ///< after everything is out
    Outlet(const Outlet&) = delete;
    Outlet& operator=(const Outlet&) = delete;

    void take(const wire::Event& event);
    /// The run ended before it began.
    void fail(const std::string& id, const std::string& why);

private:
    void loop();
    void put(const wire::Event& event);
    void note(const base::Status& status);
    void print(const std::string& line);

    std::optional<Recording> recording_;
    bool open_, told_ = false;
    std::mutex mutex_;
    std::condition_variable arrived_, taken_;
    std::deque<wire::Event> waiting_;
    bool ending_ = false;
    std::thread thread_;
};

}  // namespace highwater::engine_app
