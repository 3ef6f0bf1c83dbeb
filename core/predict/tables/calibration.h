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
#include "core/predict/estimate.h"
#include "core/predict/tables/conv_key.h"

/// What was measured of this kind of machine: the temporaries of each convolution, and speeds. They depend on
/// LibTorch, oneDNN, instruction set, threads and shape (memory-model.md section 5b), so a table is chosen by
/// the first four and has a row a shape.
namespace highwater::predict {

/// Which table. Two machines with equal values measure equal bytes (times differ).
struct CpuKey {
    std::string libtorch;  ///< "1.13.1"
    std::string onednn;    ///< "2.7.3"; "off" where backend.onednn is false
    std::string isa;       ///< "avx2", "avx512", ... as wire::Environment::isa
    int threads = 1;
    auto operator<=>(const CpuKey&) const = default;
};

/// What an operator did, in order.
struct OpEvent {
    enum class Kind : unsigned char {
        Allocate,  ///< a temporary of `value` bytes; numbered 0, 1, ... in the row
        Free,      ///< the temporary number `value`
        Result     ///< result `value` is allocated. Forward: 0 the output. Backward: 0 the gradient of the
                   ///< input, 1 of the weight, 2 of the bias
    };
    Kind kind = Kind::Allocate;
    std::int64_t value = 0;
    bool operator==(const OpEvent&) const = default;
};

/// One row. All temporaries are freed at its end.
struct OpRow {
    std::vector<OpEvent> events;
    double microseconds = 0;  ///< the lower quartile of some runs; 0: not timed
    bool operator==(const OpRow&) const = default;
};

/// The share of a roof that an operator reaches.
struct Efficiency {
    double low = 0, expected = 0, high = 0;  ///< 0 to 1
    bool operator==(const Efficiency&) const = default;
};

/// The roofs of a machine and how near operators come to them.
struct CpuSpeed {
    double flops = 0;           ///< multiply and add count as two, a second
    double bytesPerSecond = 0;  ///< read and written together
    double overheadUs = 0;      ///< of one operator, at least
    std::map<std::string, Efficiency>
        compute;  ///< by family: "conv", "conv_1x1", "depthwise", "conv_transpose", ...
    std::map<std::string, Efficiency>
        memory;  ///< "elementwise", "norm", "pool", "upsample", "copy", "optimizer"
    bool operator==(const CpuSpeed&) const = default;
};

class GuessModel;

/// A table, as a value.
class Calibration {
public:
    explicit Calibration(CpuKey key = {}) : key_(std::move(key)) {}

    const CpuKey& key() const { return key_; }
    std::string machine;  ///< the processor that it was measured on
    CpuSpeed speed;

    void add(const ConvKey& op, OpRow row);
    const OpRow* find(const ConvKey& op) const;  ///< nullptr where there is no row
    std::size_t size() const { return rows_.size(); }
    /// Takes over what is not here: the other's rows, its machine and speed. The keys are the caller's
    /// concern.
    void join(const Calibration& other);
    const std::unordered_map<std::string, OpRow>& rows() const { return rows_; }

    /// What a convolution without a row is believed to need in passing beyond its results, at its highest:
    /// from the rows of its kind, so that 95 of 100 lie within. Without any row: from none to what the most
    /// wasteful algorithm needs. Fast once prepared (tables that were loaded are).
    Estimate guess(const ConvKey& op) const;
    /// Prepares guesses from the rows of `from` (null: its own), their intervals `widening` times as wide (as
    /// a ratio). Adding rows undoes it.
    void prepareGuesses(const Calibration* from = nullptr, double widening = 1);

private:
    CpuKey key_;
    std::unordered_map<std::string, OpRow> rows_;
    std::shared_ptr<const GuessModel> guesses_;
};

/// The highest total of a row's temporaries at any moment of it.
base::Bytes highestTemporaries(const OpRow& row);

/// Text format highwater.calibration/1 (docs/calibration.md): a JSON header line, then one row a line. Errors
/// name the line.
base::Result<Calibration> parseCalibration(std::string_view text, std::string_view name);
std::string writeCalibration(const Calibration& calibration);  ///< rows sorted: the same table, the same text

/// Where tables lie: the user's own ($XDG_DATA_HOME/highwater/calibration, filled by `devices --calibrate`)
/// before the program's (resources/calibration). Rows of both are joined, the user's first. With no table for
/// `key`: an empty one of that key, whose guesses come from the nearest table (same instruction set, else
/// any) widened. Errors: a file that cannot be read, naming it and the line.
base::Result<Calibration> loadCalibration(const CpuKey& key, std::span<const std::filesystem::path> folders);
std::vector<std::filesystem::path> calibrationFolders();
/// The file name of a key's table: "libtorch-1.13.1_onednn-2.7.3_avx512_2.txt".
std::string calibrationFileName(const CpuKey& key);
/// The key that a table's file name says; nothing where it is no such name.
std::optional<CpuKey> keyOfFileName(std::string_view name);

}  // namespace highwater::predict
