#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/hosts/queue.h"
#include "core/study/queue_sweep.h"

/// A sweep's runs on their way through the queue of a cluster. Private to core/study.
namespace highwater::study {

/// One repeat of a subject.
struct QueuePart {
    enum class State { ToDo, InQueue, Over };
    std::size_t subject = 0;
    int repeat = 0;
    State state = State::ToDo;
    std::string run = {};  ///< InQueue: the run that is to measure it
    int tries = 0;
    hosts::Task task = {};                   ///< as it was last seen
    std::optional<RunOutcome> outcome = {};  ///< Over: of the last run
    std::string why = {};                    ///< Over: why there is none that counts
};

/// Whether its run is to be brought home, which ends it there for good.
bool isToFetch(const hosts::Task& task);
/// Why a run came to no end of its own.
std::string whyBroken(const hosts::Task& task);
/// Where a node of a host measured, "node n1 of HOST", and the node in that; empty if there is none.
std::string placeOf(const std::string& node, const hosts::Host& host);
std::string nodeIn(const std::string& place, const hosts::Host& host);
QueueProgress progressOf(const std::vector<QueuePart>& parts, const std::string& trouble);

/// What the parts of the subject with this index have measured: those of the device that has measured the
/// most of them; `elsewhere` grows by the number of the others.
Measured measuredOf(const Subject& subject, std::size_t index, const std::vector<QueuePart>& parts,
                    int& elsewhere);

}  // namespace highwater::study
