#include "app/desktop/script/script_values.h"

#include <QDir>
#include <QFileInfo>
#include <QObject>
#include <QProcess>
#include <nlohmann/json.hpp>

#include "core/base/json_reader.h"
#include "core/base/text.h"
#include "core/script/launch.h"
#include "widgets/theme/utf8.h"

namespace highwater::desktop {

namespace {

using base::Json;

/// A JSON value written by another process: std::nullopt if it is absent or has another type.
std::int64_t number(const Json& json, const char* key) {
    const auto found = json.find(key);
    return found != json.end() && found->is_number_integer() ? found->get<std::int64_t>() : 0;
}

QString words(const Json& json, const char* key) {
    const auto found = json.find(key);
    return found != json.end() && found->is_string()
               ? widgets::fromUtf8(base::oneLine(found->get<std::string>(), 1000))
               : QString();
}

/// As a shell splits them, without its other rules.
QStringList wordsOf(QString line) {
    if (!line.contains('"')) {  // QProcess knows double quotes alone
        line.replace('\'', '"');
    }
    return QProcess::splitCommand(line);
}

QString bytes(const Json& json, const char* key) {
    return widgets::fromUtf8(base::formatBytes(number(json, key)));
}

QList<QStringList> owners(const Json& memory, const char* key, const QString& unknown) {
    QList<QStringList> rows;
    const auto list = memory.find(key);
    for (const Json& each : list != memory.end() && list->is_array() ? *list : Json::array()) {
        if (each.is_object()) {
            const QString name = words(each, "name");
            rows.append({name.isEmpty() ? unknown : name, bytes(each, "bytes"),
                         QString::number(number(each, "blocks"))});
        }
    }
    return rows;
}

QString peakPlace(const Json& memory) {
    const auto peak = memory.find("peak");
    if (peak == memory.end() || !peak->is_object()) {
        return {};
    }
    QString place = QObject::tr("in %1 of step %2").arg(words(*peak, "phase")).arg(number(*peak, "step") + 1);
    for (const char* key : {"module", "line"}) {
        if (const QString part = words(*peak, key); !part.isEmpty()) {
            place += ", " + part;
        }
    }
    return place;
}

QString categories(const Json& memory) {
    QStringList parts;
    const auto all = memory.find("peak_by_category");
    if (all == memory.end() || !all->is_object()) {
        return {};
    }
    for (const auto& [key, value] : all->items()) {
        if (value.is_number_integer() && value.get<std::int64_t>() > 0) {
            parts << QString("%1 %2").arg(widgets::fromUtf8(key).replace('_', ' '),
                                          widgets::fromUtf8(base::formatBytes(value.get<std::int64_t>())));
        }
    }
    return parts.join(" · ");
}

QString workspaces(const Json& memory) {
    const auto from = memory.find("workspaces");
    if (from == memory.end() || !from->is_object()) {
        return {};
    }
    QStringList parts;
    for (const auto& [key, how] : {std::pair("asked", QObject::tr("%1 asked of cuDNN")),
                                   std::pair("table", QObject::tr("%1 from a table")),
                                   std::pair("guessed", QObject::tr("%1 guessed"))}) {
        if (number(*from, key) > 0) {
            parts << how.arg(number(*from, key));
        }
    }
    QString line =
        QObject::tr("Workspaces: %1, the largest %2.").arg(parts.join(", "), bytes(*from, "largest_bytes"));
    if (number(*from, "benchmarked") > 0) {
        line += " " + QObject::tr("With benchmark, the winner is not known: from %1 to %2.")
                          .arg(bytes(*from, "benchmark_least_bytes"), bytes(*from, "benchmark_most_bytes"));
        if (const auto first = memory.find("first_step_device_range_bytes");
            first != memory.end() && first->is_array() && first->size() == 2 && first->at(1).is_number()) {
            line += " " + QObject::tr("During the first step, which times them, up to %1 may be in use.")
                              .arg(widgets::fromUtf8(base::formatBytes(first->at(1).get<std::int64_t>())));
        }
    }
    return line;
}

/// Lines that highwater-cli has worded.
QString cliWords(const Json& json, const char* key) {
    const auto found = json.find("words");
    if (found == json.end() || !found->is_object() || !found->contains(key)) {
        return {};
    }
    const Json& value = found->at(key);
    QStringList lines;
    for (const Json& line : value.is_array() ? value : Json::array({value})) {
        if (line.is_string()) {
            lines << widgets::fromUtf8(base::oneLine(line.get<std::string>(), 1000));
        }
    }
    return lines.join("; ");
}

void addDevice(const Json& memory, ScriptLine::Result& result) {
    result.facts << categories(memory);
    const QString source = words(memory, "context_source");
    const QString context = (source == "given"      ? QObject::tr("%1 (as given for this GPU)")
                             : source == "measured" ? QObject::tr("%1 (measured on this machine)")
                                                    : QObject::tr("about %1"))
                                .arg(bytes(memory, "context_bytes"));
    result.facts << QObject::tr("%1 reserved by PyTorch; %2 on the device with a CUDA context of %3, of %4.")
                        .arg(bytes(memory, "reserved_bytes"), bytes(memory, "device_bytes"), context,
                             bytes(memory, "capacity_bytes"));
    result.facts << workspaces(memory);
    const auto reads = memory.find("values_read");
    if (reads != memory.end() && reads->is_array() && !reads->empty()) {
        QStringList places;
        for (const Json& read : *reads) {
            if (read.is_object() && places.size() < 5) {
                places << words(read, "line");
            }
        }
        result.facts
            << QObject::tr(
                   "Values are read at %1. All values are 0 here, so a tensor whose size depends on one "
                   "may be smaller than on a real GPU.")
                   .arg(places.join(", "));
    }
    result.modules = owners(memory, "modules", QObject::tr("(outside of modules)"));
    result.lines = owners(memory, "lines", QObject::tr("(autograd)"));
}

/// The rank that ended the script, or else the whole: its status, and why.
struct ScriptEnd {
    QString status, failure, place;  ///< place: "rank 2"; empty for a single process
};

ScriptEnd endOf(const Json& json) {
    const auto ranks = json.find("ranks");
    for (const Json& rank : ranks != json.end() && ranks->is_array() ? *ranks : Json::array()) {
        const QString status = rank.is_object() ? words(rank, "status") : QString();
        if (status == "out_of_memory" || status == "failed") {
            return {status, words(rank, "failure"), QObject::tr("rank %1").arg(number(rank, "rank"))};
        }
    }
    return {words(json, "status"), words(json, "failure"), {}};
}

/// `peak`: "Pretended peak 174 MiB, in backward of step 2"; empty if the GPU was not used.
QString headlineOf(const ScriptEnd& end, const QString& peak, const QString& overflow) {
    if (end.status == "out_of_memory") {
        const QString line = end.failure.section(": ", 0, 0);
        return end.place.isEmpty()
                   ? QObject::tr("Does not fit: out of memory at %1").arg(line)
                   : QObject::tr("Does not fit: out of memory in %1 at %2").arg(end.place, line);
    }
    if (end.status == "failed") {
        const QString why =
            end.failure.isEmpty() ? QObject::tr("for a reason that is not known") : end.failure;
        return end.place.isEmpty() ? QObject::tr("The script failed: %1").arg(why)
                                   : QObject::tr("The script failed in %1: %2").arg(end.place, why);
    }
    if (end.status == "cancelled") {
        return QObject::tr("Stopped before its end.");
    }
    if (!overflow.isEmpty()) {
        return QObject::tr("Does not fit: %1.").arg(overflow);
    }
    return peak.isEmpty() ? QObject::tr("The script never used the GPU.") : QObject::tr("Fits. %1").arg(peak);
}

QList<QStringList> ranksTable(const Json& json) {
    QList<QStringList> rows;
    const auto said = json.find("words");
    const auto table =
        said != json.end() && said->is_object() ? said->value("ranks", Json::array()) : Json::array();
    for (const Json& row : table.is_array() ? table : Json::array()) {
        QStringList& cells = rows.emplace_back();
        for (const Json& cell : row.is_array() ? row : Json::array()) {
            cells << (cell.is_string()
                          ? widgets::fromUtf8(base::oneLine(cell.get<std::string>(), 100)).replace('_', ' ')
                          : QString());
        }
    }
    return rows;
}

ScriptLine::Result resultOf(const Json& json) {
    ScriptLine::Result result;
    if (const auto run = number(json, "run"); run > 0) {
        result.run = QString::number(run);
    }
    const ScriptEnd end = endOf(json);
    result.ranks = ranksTable(json);
    QString peak;
    const auto memory = json.find("memory");
    if (memory != json.end() && memory->is_object()) {
        peak = result.ranks.isEmpty()
                   ? QObject::tr("Pretended peak %1, %2")
                         .arg(bytes(*memory, "requested_bytes"), peakPlace(*memory))
                   : QObject::tr("Rank %1, whose GPU holds the most: pretended peak %2, %3")
                         .arg(number(json, "fullest_rank"))
                         .arg(bytes(*memory, "requested_bytes"), peakPlace(*memory));
        addDevice(*memory, result);
    }
    result.failed = end.status == "failed";
    result.headline = headlineOf(end, peak, cliWords(json, "overflow"));
    if (!result.headline.endsWith(peak)) {
        result.facts.prepend(peak);
    }
    if (end.status == "out_of_memory") {  // without PyTorch's advice
        result.facts.prepend(end.failure.section(QStringLiteral(". Including"), 0, 0));
    }
    for (const auto& [key, line] :
         {std::pair("time", QObject::tr("Time of a step: %1.")),
          std::pair("host", QObject::tr("Host memory: %1.")),
          std::pair("nccl", QObject::tr("NCCL's buffers: %1.")),
          std::pair("rank0_extra", QObject::tr("What rank 0 holds beyond the others: %1."))}) {
        if (const QString said = cliWords(json, key); !said.isEmpty()) {
            result.facts << line.arg(said);
        }
    }
    result.facts.removeAll(QString());
    return result;
}

TriedRow triedOf(const Json& json) {
    TriedRow row;
    const QString status = words(json, "status"), results = words(json, "results");
    const auto flag = [&](const char* key) {
        const auto found = json.find(key);
        return found != json.end() && found->is_boolean() && found->get<bool>();
    };
    row.fits = flag("fits");
    const QString outcome = row.fits                    ? QObject::tr("yes")
                            : status == "out_of_memory" ? QObject::tr("no: out of memory")
                            : status == "done"          ? QObject::tr("no")
                            : status == "cancelled"     ? QObject::tr("stopped")
                                                        : QObject::tr("failed");
    const QString same = results == "equal"      ? QObject::tr("equal to the bit")
                         : results == "rounding" ? QObject::tr("equal up to rounding")
                                                 : QObject::tr("other results");
    const auto work = json.find("added_work");
    const double share = work != json.end() && work->is_number() ? work->get<double>() : 0;
    const bool plain = words(json, "kind") == "none";
    row.cells = {plain ? QObject::tr("none") : words(json, "name"),
                 number(json, "device_bytes") > 0 ? bytes(json, "device_bytes") : QString("–"), outcome,
                 share > 0 ? QObject::tr("+%1 %").arg(100 * share, 0, 'f', 0) : QString(),
                 plain ? QString() : same};
    QStringList tip{words(json, "failure"), words(json, "difference")};
    if (const auto modules = json.find("modules"); modules != json.end() && modules->is_array()) {
        QStringList names;
        for (const Json& name : *modules) {
            names << (name.is_string() ? widgets::fromUtf8(name.get<std::string>()) : QString());
        }
        tip << names.join(", ");
    }
    tip.removeAll(QString());
    row.tip = tip.join("\n");
    if (const auto file = json.find("file"); file != json.end() && file->is_string()) {
        row.file = widgets::fromUtf8(file->get<std::string>());
    }
    return row;
}

QString triesHeadline(const Json& json) {
    const auto fitting = json.find("fitting");
    const auto count = fitting != json.end() && fitting->is_array() ? static_cast<int>(fitting->size()) : 0;
    const auto plain = json.find("as_it_is");
    if (plain != json.end() && plain->is_object() && plain->value("fits", Json()) == true) {
        return QObject::tr("The script fits as it is.");
    }
    if (count == 0) {
        return json.value("stopped", Json()) == true
                   ? QObject::tr("Stopped before a change was found that fits.")
                   : QObject::tr("Nothing that was tried fits.");
    }
    const QString best =
        fitting->front().is_string() ? widgets::fromUtf8(fitting->front().get<std::string>()) : QString();
    return count == 1 ? QObject::tr("One change fits: %1").arg(best)
                      : QObject::tr("%1 changes fit; the best: %2").arg(count).arg(best);
}

/// Takes what the plot shows, and what is said beside it.
void readProgress(const Json& json, const QByteArray& line, ScriptLine& read) {
    const QString rank = json.contains("rank") ? QObject::tr("Rank 0: ") : QString();
    if (words(json, "event") == "started") {
        read.progress = rank + QObject::tr("The first step");
    }
    const auto event = wire::parseEvent(std::string_view(line.data(), static_cast<std::size_t>(line.size())));
    if (!event) {
        return;
    }
    if (const auto* sample = std::get_if<wire::LedgerSample>(&*event)) {
        read.progress = rank + QObject::tr("Step %1, %2 · %3 now, %4 at most")
                                   .arg(sample->step + 1)
                                   .arg(widgets::fromUtf8(wire::phaseKey(sample->phase)),
                                        widgets::fromUtf8(base::formatBytes(sample->ledger.total())),
                                        widgets::fromUtf8(base::formatBytes(sample->high)));
    }
    read.event = *event;
}

}  // namespace

QString scriptFolder(const ScriptFields& fields) {
    return fields.folder.isEmpty() ? QFileInfo(fields.script).absolutePath() : fields.folder;
}

QString whyNoScript(const ScriptFields& fields) {
    if (fields.script.isEmpty()) {
        return QObject::tr("Choose the script that trains your network.");
    }
    if (!QFileInfo(fields.script).isFile()) {
        return QObject::tr("There is no file %1.").arg(fields.script);
    }
    if (!fields.folder.isEmpty() && !QFileInfo(fields.folder).isDir()) {
        return QObject::tr("There is no folder %1.").arg(fields.folder);
    }
    for (const QString& variable : wordsOf(fields.variables)) {
        if (const auto checked = script::checkVariable(variable.toStdString()); !checked) {
            return QObject::tr("Variables: %1").arg(QString::fromStdString(checked.error().message));
        }
    }
    return {};
}

QStringList scriptArguments(const ScriptFields& fields, bool tries) {
    // In the window a script runs until Stop is pressed: the command's largest limit, in minutes.
    QStringList arguments = {
        "script",       "--pretend", fields.gpu, "--steps",    QString::number(fields.steps),
        "--time-limit", "100000",    "--store",  fields.store, "--events"};
    if (fields.ranks > 1) {
        arguments << "--ranks" << QString::number(fields.ranks);
    } else if (fields.timed && !tries) {
        arguments << "--time";
    }
    if (tries) {
        arguments << "--try";
        if (fields.all) {
            arguments << "--try-all";
        }
    }
    if (!fields.python.isEmpty()) {
        arguments << "--python" << fields.python;
    }
    for (const QString& variable : wordsOf(fields.variables)) {
        arguments << "--env" << variable;
    }
    return arguments << QFileInfo(fields.script).absoluteFilePath() << wordsOf(fields.arguments);
}

ScriptLine readScriptLine(const QByteArray& line) {
    ScriptLine read;
    const auto json =
        base::parseJson(std::string_view(line.data(), static_cast<std::size_t>(line.size())), "event");
    if (!json || !json->is_object()) {
        return read;
    }
    const QString event = words(*json, "event");
    if (number(*json, "rank") == 0) {
        readProgress(*json, line, read);
    }
    if (event == "warning") {
        read.warning = words(*json, "message");
    } else if (event == "trying") {
        read.progress = QObject::tr("Trying: %1").arg(words(*json, "name"));
    } else if (event == "tried") {
        read.tried = triedOf(*json);
    } else if (event == "tries") {
        read.tries = triesHeadline(*json);
    } else if (event == "result") {
        read.result = resultOf(*json);
    }
    return read;
}

}  // namespace highwater::desktop
