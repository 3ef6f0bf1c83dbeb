// Whole processes, one after the other and in turns: highwater-scan and a minimal ITK program, on a 512 x 512
// x 400 int16 .nii.gz; then the peak memory of highwater-scan on a raw .nii of 2 GB and on that .nii.gz.
// scan_read_bench [ROUNDS]. Creates its files in $TMPDIR and removes them.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "core/scan/reader/bytes/gzip.h"
#include "core/scan/reader/nifti/write.h"
#include "core/volume/write_volume.h"

namespace {

using namespace highwater;

constexpr double kMiB = 1024.0 * 1024.0;

/// A round object with noise in air, about as compressible as a CT scan.
std::vector<std::int16_t> sliceOf(std::int64_t k, std::int64_t depth, std::int64_t side) {
    std::mt19937 random(static_cast<unsigned>(k));
    std::vector<std::int16_t> out;
    out.reserve(static_cast<std::size_t>(side * side));
    const double z = 2.0 * static_cast<double>(k) / static_cast<double>(depth) - 1;
    for (std::int64_t at = 0; at < side * side; ++at) {
        const double x = 2.2 * static_cast<double>(at % side) / static_cast<double>(side) - 1.1;
        const double y = 2.2 * static_cast<double>(at / side) / static_cast<double>(side) - 1.1;
        const double r = x * x + y * y + z * z;
        const int noise = static_cast<int>(random() >> 27) - 16;
        out.push_back(
            static_cast<std::int16_t>(r > 1 ? -1000 + noise / 8 : 40 + 200 * std::sin(9 * x * y) + noise));
    }
    return out;
}

std::vector<std::byte> beginningOf(const std::array<std::int64_t, 3>& size) {
    volume::Geometry geometry;
    geometry.size = size;
    return *scan::reader::niftiBeginning(geometry, "bench");
}

void writePacked(const std::string& path, const std::array<std::int64_t, 3>& size) {
    std::vector<std::byte> bytes = beginningOf(size);
    for (std::int64_t k = 0; k < size[2]; ++k) {
        const auto slice = sliceOf(k, size[2], size[0]);
        const auto part = std::as_bytes(std::span(slice));
        bytes.insert(bytes.end(), part.begin(), part.end());
    }
    const auto packed = *scan::reader::deflateGzip(bytes, 6);
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(packed.data()), static_cast<std::streamsize>(packed.size()));
}

void writeRaw(const std::string& path, const std::array<std::int64_t, 3>& size) {
    std::ofstream out(path, std::ios::binary);
    const auto header = beginningOf(size);
    out.write(reinterpret_cast<const char*>(header.data()), static_cast<std::streamsize>(header.size()));
    const auto slice = sliceOf(size[2] / 2, size[2], size[0]);
    for (std::int64_t k = 0; k < size[2]; ++k) {
        out.write(reinterpret_cast<const char*>(slice.data()),
                  static_cast<std::streamsize>(slice.size() * 2));
    }
}

struct Run {
    double seconds = 0;
    double cpuSeconds = 0;  ///< of all its threads, including system time
    double peakBytes = 0;
};

/// Runs one process to its end. The scan process writes the volume into a temporary file, as it does for the
/// desktop.
Run runProcess(const std::vector<std::string>& words) {
    const int out = *volume::temporaryFile();
    const auto begin = std::chrono::steady_clock::now();
    const pid_t child = fork();
    if (child == 0) {
        dup2(open("/dev/null", O_WRONLY), 1);
        dup2(out, 3);
        fcntl(3, F_SETFD, 0);  // if it was 3 already
        std::vector<char*> arguments;
        for (const std::string& word : words) {
            arguments.push_back(const_cast<char*>(word.c_str()));
        }
        arguments.push_back(nullptr);
        execv(arguments[0], arguments.data());
        _exit(127);
    }
    int status = 0;
    rusage usage{};
    wait4(child, &status, 0, &usage);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    close(out);
    if (status != 0) {
        fmt::print(stderr, "{} ended with status {}\n", words[0], status);
        std::exit(1);
    }
    const auto seconds = [](const timeval& time) {
        return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
    };
    return {took.count(), seconds(usage.ru_utime) + seconds(usage.ru_stime),
            static_cast<double>(usage.ru_maxrss) * 1024};
}

double quantile(std::vector<double> values, double q) {
    std::sort(values.begin(), values.end());
    return values[static_cast<std::size_t>(std::lround(q * static_cast<double>(values.size() - 1)))];
}

void printTimes(const char* name, const std::vector<double>& seconds) {
    fmt::print("{:<16} median {:.3f} s   from {:.3f} to {:.3f} s\n", name, quantile(seconds, 0.5),
               quantile(seconds, 0), quantile(seconds, 1));
}

void printRatios(const char* name, const std::vector<double>& ratios) {
    fmt::print("{:<16} median {:.3f}   middle half from {:.3f} to {:.3f}   (goal 0.7)\n", name,
               quantile(ratios, 0.5), quantile(ratios, 0.25), quantile(ratios, 0.75));
}

}  // namespace

int main(int argc, char** argv) {
    const int rounds = argc > 1 ? std::max(3, std::atoi(argv[1])) : 11;
    const std::string scan = HIGHWATER_BIN_DIR "/highwater-scan";
    const std::string itk =
        (std::filesystem::canonical("/proc/self/exe").parent_path() / "itk_read").string();
    std::string folder = (std::filesystem::temp_directory_path() / "highwater-bench-XXXXXX").string();
    if (!mkdtemp(folder.data())) {
        return 1;
    }
    const std::string packed = folder + "/a.nii.gz", raw = folder + "/a.nii";
    const std::vector<std::string> readPacked{scan, "read", "--out-fd", "3", "--", packed};
    writePacked(packed, {512, 512, 400});
    const double inflated = 512.0 * 512 * 400 * 2;
    fmt::print("512 x 512 x 400 int16 .nii.gz, {:.0f} MiB packed, {} rounds\n",
               static_cast<double>(std::filesystem::file_size(packed)) / kMiB, rounds);
    std::vector<double> ours, theirs, ratios, cpuRatios;
    double peak = 0;
    for (int round = 0; round <= rounds; ++round) {
        const Run a = runProcess(readPacked);
        const Run b = runProcess({itk, packed});
        if (round > 0) {  // the first round fills the file cache
            ours.push_back(a.seconds);
            theirs.push_back(b.seconds);
            ratios.push_back(a.seconds / b.seconds);
            cpuRatios.push_back(a.cpuSeconds / b.cpuSeconds);
            peak = std::max(peak, a.peakBytes);
        }
    }
    printTimes("highwater-scan", ours);
    printTimes("ITK's program", theirs);
    printRatios("ratio", ratios);
    printRatios("of CPU time", cpuRatios);
    fmt::print("peak memory      {:.0f} MiB, {:.2f} of the voxels' size\n", peak / kMiB, peak / inflated);
    std::filesystem::remove(packed);

    writeRaw(raw, {1024, 1024, 1024});
    const auto size = static_cast<double>(std::filesystem::file_size(raw));
    const Run big = runProcess({scan, "read", "--out-fd", "3", "--", raw});
    fmt::print("2 GB raw .nii    {:.2f} s, peak memory {:.0f} MiB, {:.2f} of its size (goal 2.2)\n",
               big.seconds, big.peakBytes / kMiB, big.peakBytes / size);
    std::filesystem::remove_all(folder);
}
