#include "app/engine/outlet.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <iostream>
#include <iterator>

#include "core/base/text.h"
#include "core/base/ticker.h"

namespace highwater::engine_app {

namespace {
constexpr std::size_t kMostWaiting = 1024;
constexpr std::size_t kMergeFrom = kMostWaiting / 2;
}  // namespace

Outlet::Outlet(std::optional<Recording> recording, int output, std::atomic<bool>& stop)
    : recording_(std::move(recording)), output_(output), stop_(stop), thread_([this] { loop(); }) {}

Outlet::~Outlet() {
    finish();
}

std::string Outlet::finish() {
    {
        const std::lock_guard lock(mutex_);
        ending_ = true;
    }
    arrived_.notify_one();
    if (thread_.joinable()) {
        thread_.join();
    }
    return lost_;
}

void Outlet::take(const wire::Event& event) {
    std::unique_lock lock(mutex_);
    if (const auto* const sample = std::get_if<wire::LedgerSample>(&event)) {
        queue(*sample);
    } else {
        if (waiting_.size() >= kMostWaiting) {
            ++waits_;
        }
        taken_.wait(lock, [this] { return waiting_.size() < kMostWaiting; });
        waiting_.push_back(event);
    }
    lock.unlock();
    arrived_.notify_one();
}

/// Queues a sample without waiting. If at least kMergeFrom events are queued, the last queued sample is
/// merged into it.
void Outlet::queue(wire::LedgerSample sample) {
    const auto isSample = [](const auto& each) { return std::holds_alternative<wire::LedgerSample>(each); };
    const auto last = waiting_.size() < kMergeFrom
                          ? waiting_.rend()
                          : std::find_if(waiting_.rbegin(), waiting_.rend(), isSample);
    if (last != waiting_.rend()) {
        const auto& before = std::get<wire::LedgerSample>(*last);
        sample.low = std::min(sample.low, before.low);
        sample.high = std::max(sample.high, before.high);
        sample.merged += before.merged;
        waiting_.erase(std::prev(last.base()));
    }
    waiting_.push_back(std::move(sample));
}

void Outlet::fail(const std::string& id, const std::string& why) {
    wire::RunResult result;
    result.runId = id;
    result.status = wire::RunStatus::Failed;
    result.failure.emplace().why = why;
    take(*result.failure);
    take(wire::Finished{result});
}

void Outlet::loop() {
    base::blockSignals();
    std::unique_lock lock(mutex_);
    while (true) {
        arrived_.wait(lock, [this] { return ending_ || !waiting_.empty(); });
        if (waiting_.empty()) {
            return;
        }
        const wire::Event event = std::move(waiting_.front());
        waiting_.pop_front();
        lock.unlock();
        taken_.notify_one();
        const auto* const finished = std::get_if<wire::Finished>(&event);
        finished ? end(*finished) : put(event);
        lock.lock();
    }
}

/// A state is on disk before it is announced: as the result, or else as the last event, from which the
/// follower of the run records it.
void Outlet::end(wire::Finished finished) {
    wire::RunResult& result = *finished.result;
    if (!lost_.empty() && !result.failure) {
        result.status = wire::RunStatus::Failed;
        result.failure.emplace().why = lost_;
        put(*result.failure);
    }
    const std::string line = recording_ || output_ >= 0 ? wire::toLine(finished) : std::string();
    base::Status appended, kept;
    if (recording_) {
        appended = recording_->append(finished, line);
        kept = recording_->finish(result);
    }
    if (!appended && kept && lost_.empty() && output_ >= 0) {
        print(wire::toLine(wire::Warning{"the last event could not be recorded; the result says the same: " +
                                         appended.error().message}));
    }
    note(kept, "the end of the run could not be recorded");
    if (output_ >= 0 && (appended || kept)) {
        print(line);
    }
}

void Outlet::put(const wire::Event& event) {
    const std::string line = recording_ || output_ >= 0 ? wire::toLine(event) : std::string();
    if (recording_) {
        note(recording_->append(event, line), "the run cannot be recorded any more");
    }
    if (output_ >= 0) {
        print(line);
    } else if (const auto* const warning = std::get_if<wire::Warning>(&event)) {
        std::cerr << "highwater-engine: " << base::oneLine(warning->message, 5000) << '\n';
    }
}

void Outlet::note(const base::Status& status, std::string_view what) {
    if (status || !lost_.empty()) {
        return;
    }
    lost_ = std::string(what) + ": " + status.error().message;
    std::cerr << "highwater-engine: " << lost_ << '\n';
    stop_ = true;
}

void Outlet::print(const std::string& line) {
    for (std::size_t done = 0; done < line.size() && output_ >= 0;) {
        const ssize_t n = ::write(output_, line.data() + done, line.size() - done);
        if (n > 0) {
            done += static_cast<std::size_t>(n);
        } else if (n < 0 && errno != EINTR) {
            output_ = -1;
        }
    }
}

}  // namespace highwater::engine_app
