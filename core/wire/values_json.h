#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/json_reader.h"
#include "core/wire/events.h"

/// JSON of the values inside events and results, both ways. Private to core/wire.
namespace highwater::wire {

using Json = nlohmann::ordered_json;

/// Reads the fields of one JSON object. Keys that are not asked for are allowed (keys may be added). The
/// first missing or mistyped field is recorded in `error`; after it all getters return zeros. Nothing throws.
class Fields {
public:
    /// `error` collects the first problem; an empty string means none.
    Fields(const Json& object, std::string where, std::string& error);

    std::string text(std::string_view key);
    bool boolean(std::string_view key);
    std::int64_t integer(std::string_view key, std::int64_t low, std::int64_t high);
    Bytes bytes(std::string_view key);    ///< 0 to 2^60, so that a sum of seven cannot overflow
    int index(std::string_view key);      ///< 0 to 2^31 - 1
    double number(std::string_view key);  ///< null reads as NaN
    Phase phase(std::string_view key);
    RunStatus status(std::string_view key);
    bool has(std::string_view key) const;  ///< present and not null
    /// The list at a key; an empty list, and an error, if there is none.
    const Json& list(std::string_view key);
    Fields object(std::string_view key);
    const Json& json() const { return *object_; }

    void fail(std::string_view key, std::string_view what);
    bool failed() const { return !error_->empty(); }
    std::string& error() { return *error_; }

private:
    const Json* find(std::string_view key);
    const Json* object_;
    std::string where_;
    std::string* error_;
};

using base::numberOrNull;

Json ledgerToJson(const memory::Ledger& ledger);
memory::Ledger ledgerFrom(Fields fields);
Json phasesToJson(const PhaseTimes& phases);
PhaseTimes phasesFrom(Fields fields);
Json layerToJson(const LayerCost& layer);
LayerCost layerFrom(Fields fields);
Json layersToJson(const std::vector<LayerCost>& layers);
std::vector<LayerCost> layersFrom(Fields& fields, std::string_view key);
/// The environment's fields are stored directly in the object `into`, with its other fields.
void environmentToJson(const Environment& environment, Json& into);
Environment environmentFrom(Fields& fields);
Json intervalToJson(const base::Interval& interval);
base::Interval intervalFrom(Fields fields);
Json peakToJson(const PeakMoment& peak);
PeakMoment peakFrom(Fields fields);
Json failureToJson(const Failed& failed);
Failed failureFrom(Fields fields);

Json deviceToJson(const DeviceMemory& device);
DeviceMemory deviceFrom(Fields fields);
/// Writes the fields of a GPU run into the result's object; on the CPU it writes none.
void gpuPartToJson(const RunResult& result, Json& into);
/// Read `result.layers` before: workspaces refer to layers by name.
void gpuPartFrom(Fields& fields, RunResult& result);

Json predictedToJson(const Predicted& predicted);
Predicted predictedFrom(Fields fields);

/// Lists of lists instead of objects, since these are most of a step's line.
/// [[time, bytes in the order of kCategories...], ...]
Json timelineToJson(const std::vector<TimelinePoint>& timeline);
std::vector<TimelinePoint> timelineFrom(Fields& fields, std::string_view key);
/// [[time, phase, layer], ...]
Json marksToJson(const std::vector<PhaseMark>& marks);
std::vector<PhaseMark> marksFrom(Fields& fields, std::string_view key);

}  // namespace highwater::wire
