#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/base/result.h"
#include "core/predict/tables/conv_key.h"
#include "core/predict/tables/estimate.h"

/// A calibration: the temporaries of each convolution and the speeds measured on this kind of machine. The
/// temporaries depend on LibTorch, oneDNN, instruction set, threads and shape (docs/memory-model.md section
/// 5b). The first four select the table; it has one row per shape.
namespace highwater::predict {

/// Selects a table. Two machines with equal keys measure equal bytes (times differ).
struct CpuKey {
    std::string libtorch;  ///< "1.13.1"
    std::string onednn;    ///< "2.7.3"; "off" if backend.onednn is false
    std::string isa;       ///< "avx2", "avx512", ... as wire::Environment::isa
    int threads = 1;
    auto operator<=>(const CpuKey&) const = default;
};

/// One event of an operator.
struct OpEvent {
    enum class Kind : unsigned char {
        Allocate,  ///< allocates a temporary of `value` bytes; temporaries are numbered 0, 1, ... within the
                   ///< row
        Free,      ///< frees temporary number `value`
        Result  ///< allocates result number `value`. Forward: 0 is the output. Backward: 0 is the gradient of
                ///< the input, 1 of the weight, 2 of the bias
    };
    Kind kind = Kind::Allocate;
    std::int64_t value = 0;
    bool operator==(const OpEvent&) const = default;
};

/// One row of a table. All temporaries are freed at its end.
struct OpRow {
    std::vector<OpEvent> events;
    double microseconds = 0;  ///< lower quartile of several runs; 0 if not timed
    bool operator==(const OpRow&) const = default;
};

/// The fraction of a roof that an operator reaches.
struct Efficiency {
    double low = 0, expected = 0, high = 0;  ///< 0 to 1
    bool operator==(const Efficiency&) const = default;
};

/// The roofs of a machine, and the fractions of them that operators reach.
struct CpuSpeed {
    double flops = 0;           ///< FLOP per second; a multiply-add counts as two
    double bytesPerSecond = 0;  ///< bytes per second, reads and writes together
    double overheadUs = 0;      ///< least time of one operator
    /// By family: "conv", "conv_1x1", "depthwise", "conv_transpose", ...
    std::map<std::string, Efficiency> compute;
    /// By family: "elementwise", "norm", "pool", "upsample", "copy", "optimizer".
    std::map<std::string, Efficiency> memory;
    bool operator==(const CpuSpeed&) const = default;
};

class GuessModel;
class ConvTimes;

/// A calibration table as a value.
class Calibration {
public:
    explicit Calibration(CpuKey key = {}) : key_(std::move(key)) {}

    const CpuKey& key() const { return key_; }
    std::string machine;  ///< the processor on which it was measured
    CpuSpeed speed;

    void add(const ConvKey& op, OpRow row);
    const OpRow* find(const ConvKey& op) const;  ///< nullptr if there is no row
    std::size_t size() const { return rows_.size(); }
    /// Copies from the other table what this one lacks: rows, machine and speed. Does not compare the keys;
    /// that is up to the caller.
    void join(const Calibration& other);
    const std::unordered_map<std::string, OpRow>& rows() const { return rows_; }

    /// Returns a guess of the peak of the temporaries that a convolution without a row needs in addition to
    /// its results. It comes from the rows of similar convolutions, such that 95 of 100 lie within the
    /// interval. Without any row: from 0 to the need of the most wasteful algorithm. Fast once prepared
    /// (loaded tables are).
    Estimate guess(const ConvKey& op) const;
    /// Returns a guess of its time, from the times of this table's rows: microseconds, expected to be within
    /// half to twice the true time. 0 without rows of its kind, or if guesses are not prepared.
    double guessMicroseconds(const ConvKey& op) const;
    /// Prepares guesses from the rows of `from` (nullptr: its own rows). `widening` is the factor by which
    /// their intervals are widened (as a ratio). Adding rows discards the preparation.
    void prepareGuesses(const Calibration* from = nullptr, double widening = 1);

private:
    CpuKey key_;
    std::unordered_map<std::string, OpRow> rows_;
    std::shared_ptr<const GuessModel> guesses_;
    std::shared_ptr<const ConvTimes> times_;
};

/// Returns the peak of a row's temporaries.
base::Bytes highestTemporaries(const OpRow& row);

/// Text format highwater.calibration/1 (docs/calibration.md): a JSON header line, then one row per line.
/// Errors name the line.
base::Result<Calibration> parseCalibration(std::string_view text, std::string_view name);
/// Rows are sorted, so equal tables give equal text.
std::string writeCalibration(const Calibration& calibration);

/// Loads the table for `key` from folders: the user's ($XDG_DATA_HOME/highwater/calibration, filled by
/// `devices --calibrate`) before the program's (resources/calibration). Rows of both are joined; the user's
/// take precedence. If there is no table for `key`, returns an empty one with that key, whose guesses come
/// from the nearest table (same instruction set, otherwise any), widened. Error if a file cannot be read; it
/// names the file and the line.
base::Result<Calibration> loadCalibration(const CpuKey& key, std::span<const std::filesystem::path> folders);
std::vector<std::filesystem::path> calibrationFolders();
/// Returns the file name of a key's table: "libtorch-1.13.1_onednn-2.7.3_avx512_2.txt".
std::string calibrationFileName(const CpuKey& key);
/// Returns the key in a table's file name; std::nullopt if it is not a table's name.
std::optional<CpuKey> keyOfFileName(std::string_view name);

}  // namespace highwater::predict
