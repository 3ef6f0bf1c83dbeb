#include "tests/core/capture/replay/search.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

#include "core/memory/allocator_rules.h"
#include "tests/core/capture/replay/player.h"
#include "tests/core/capture/replay/settings.h"

namespace highwater::capture {

namespace {

using base::Bytes;
using base::Error;
using base::Status;

constexpr std::size_t kMostTries = 64;
/// Limit on the events replayed in all readings together: fewer readings are tried for long recordings.
constexpr std::size_t kMostEvents = 20'000'000;
/// Only this many of the last questions before a difference are answered differently.
constexpr std::size_t kMostQuestions = 24;

/// The result of one reading.
struct Played {
    DeviceReplay result;
    std::vector<std::size_t> choices;    ///< as Player::choices()
    std::optional<Reading> largerBlock;  ///< the reading in which a block before the difference is larger
};

/// A reading that is still to be tried.
struct Attempt {
    Reading reading;
    std::int64_t reached = 0;  ///< the first difference of the reading that it was derived from
    std::size_t changes = 0;   ///< number of answers that differ from those of the first reading that got as
                               ///< far
    std::size_t number = 0;    ///< in order of creation
};

class Search {
public:
    Search(const DeviceHistory& device, const memory::AllocatorConfig& config, const StreamNumbers& streams,
           const DeviceReplay& blank)
        : device_(device), config_(config), streams_(streams), blank_(blank) {}

    Status run(DeviceReplay& result) {
        auto best = play({});
        if (!best) {
            return best.error();
        }
        if (best->result.difference) {
            branch({}, *best);
        }
        const std::size_t most =
            std::min(kMostTries, kMostEvents / std::max<std::size_t>(device_.events.size(), 1));
        std::size_t tries = 1;
        for (; tries < most && best->result.difference && !open_.empty(); ++tries) {
            const Attempt attempt = takeNext();
            auto played = play(attempt.reading);
            if (!played || !played->result.notReplayed.empty()) {
                continue;
            }
            if (played->result.difference && reached(*played) >= attempt.reached) {
                branch(attempt, *played);
            }
            if (!played->result.difference || reached(*played) > reached(*best)) {
                best = std::move(played);
            }
        }
        result = std::move(best->result);
        result.readings = static_cast<std::int64_t>(tries);
        return {};
    }

private:
    static std::int64_t reached(const Played& played) { return played.result.difference->event; }

    base::Result<Played> play(const Reading& reading) const {
        auto allocator = HIGHWATER_TRY(base::prefixed(
            "the file's settings are none of PyTorch's",
            memory::CachingAllocator::create(config_, {kMostMemory, kMostMemory, std::nullopt})));
        auto before = HIGHWATER_TRY(stateBefore(device_, config_, streams_, reading));
        Played played{blank_, {}, {}};
        Player player(allocator, device_, streams_, reading, played.result);
        HIGHWATER_TRY(player.begin(std::move(before.segments)));
        player.play();
        played.choices = player.choices();
        if (const auto misplaced = player.misplaced()) {
            played.largerBlock = enlarge(reading, before.guesses, *misplaced, played.result);
        }
        return played;
    }

    /// How much larger the block before a misplaced one must be, so that the free block after it is too small
    /// to be chosen.
    static std::optional<Reading> enlarge(const Reading& reading, const std::vector<Guess>& guesses,
                                          const Misplaced& misplaced, const DeviceReplay& result) {
        const auto guess = std::ranges::find(guesses, misplaced.address, &Guess::end);
        const Bytes larger = misplaced.room - misplaced.needed + memory::kSmallestBlock;
        if (guess == guesses.end() || guess->freedAt < static_cast<std::size_t>(result.difference->event) ||
            guess->remainder + larger > guess->most) {
            return std::nullopt;
        }
        Reading other = reading;
        other.remainders[guess->address] = guess->remainder + larger;
        return other;
    }

    /// Adds the readings to try where this one differs.
    void branch(const Attempt& from, const Played& played) {
        const std::int64_t at = reached(played);
        const std::size_t changes = at > from.reached ? 0 : from.changes;
        const auto note = [&](Reading reading, std::size_t more) {
            open_.push_back({std::move(reading), at, changes + more, made_++});
        };
        if (played.largerBlock) {
            note(*played.largerBlock, 0);
        }
        const std::size_t asked = played.choices.size();
        const auto& answers = from.reading.answers;
        const std::size_t first = std::max(answers.empty() ? 0 : answers.rbegin()->first + 1,
                                           asked - std::min(asked, kMostQuestions));
        for (std::size_t i = asked; i-- > first;) {
            for (std::size_t answer = 1; answer < played.choices[i]; ++answer) {
                Reading other = from.reading;
                other.answers[i] = answer;
                note(std::move(other), 1);
            }
        }
        if (const std::size_t end = endOfFirst(); from.reading.first == 0 && std::cmp_less(at, end)) {
            Reading other = from.reading;
            other.first = end;
            other.answers.clear();
            if (mayHaveBegunInside(other)) {
                note(std::move(other), 0);
            }
        }
    }

    /// The attempt derived from the reading that got farthest; among these, the one with the fewest changes.
    Attempt takeNext() {
        const auto next = std::ranges::min_element(
            open_, {}, [](const Attempt& a) { return std::tuple(-a.reached, a.changes, a.number); });
        Attempt attempt = std::move(*next);
        open_.erase(next);
        return attempt;
    }

    /// The index after the first request, or 0 if a free comes before it.
    std::size_t endOfFirst() const {
        for (std::size_t i = 0; i < device_.events.size(); ++i) {
            switch (device_.events[i].kind) {
                case HistoryEvent::Kind::Allocate:
                case HistoryEvent::Kind::OutOfMemory:
                    return i + 1;
                case HistoryEvent::Kind::FreeRequested:
                    return 0;
                default:
                    break;
            }
        }
        return 0;
    }

    /// Whether the recording may begin in the middle of its first request, after which `reading` begins:
    /// while the allocator synchronized all streams, blocks may have come back that would have served it. In
    /// that case it got a new segment, or ran out of memory.
    bool mayHaveBegunInside(const Reading& reading) const {
        const auto before = stateBefore(device_, config_, streams_, reading);
        const HistoryEvent& request = device_.events[reading.first - 1];
        if (!before || before->segments.empty()) {
            return false;
        }
        const Bytes needed =
            memory::segmentSize(memory::roundedSize(request.size, config_), config_.largeSegmentSize);
        if (request.kind == HistoryEvent::Kind::OutOfMemory) {
            return std::cmp_less(request.address, needed);
        }
        const auto segment = std::ranges::find(before->segments, static_cast<std::int64_t>(request.address),
                                               &memory::SegmentInfo::address);
        return segment != before->segments.end() && segment->size == needed &&
               segment->stream == streams_.at(request.stream);
    }

    const DeviceHistory& device_;
    const memory::AllocatorConfig& config_;
    const StreamNumbers& streams_;
    const DeviceReplay& blank_;
    std::vector<Attempt> open_;
    std::size_t made_ = 0;
};

}  // namespace

base::Status search(const DeviceHistory& device, const memory::AllocatorConfig& config,
                    const StreamNumbers& streams, DeviceReplay& result) {
    const DeviceReplay blank = result;
    return Search(device, config, streams, blank).run(result);
}

}  // namespace highwater::capture
