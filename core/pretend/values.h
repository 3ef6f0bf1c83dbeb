#pragma once

#include <cstddef>
#include <vector>

// Small values in device memory that ranks exchange. Device memory reads as zero (Settings::zeros), but ranks
// compare values that others sent: DistributedDataParallel, for example, checks at the start that all have
// the same parameters. So what the host wrote is found again when it is sent, and what was received when the
// host reads it. A kernel may have overwritten a value meanwhile; it is forgotten after kValueLaunches.
namespace highwater::pretend {

constexpr std::size_t kMostValueBytes = 256 << 10;  // of one copy or message; larger ones carry no data
constexpr unsigned kValueLaunches = 1000;
constexpr std::size_t kMostKeptBytes = 64 << 20;  // of all together; then the oldest are forgotten

// What is at `address`: kept only if it is small, until it is overwritten or freed, or too old.
void keepWritten(const void* address, const void* data, std::size_t bytes);   // by the host
void keepReceived(const void* address, const void* data, std::size_t bytes);  // from another rank
void forgetValues(const void* address, std::size_t bytes);
// A copy on the device.
void moveValues(const void* to, const void* from, std::size_t bytes);

// What a message from `address` contains: exactly what the host wrote there, or what was received. Empty:
// unknown, so zeros. Without Settings::zeros, what is in device memory.
std::vector<char> valueToSend(const void* address, std::size_t bytes);
// Copies what was received at `address` to the host; nothing else is changed there.
void readReceived(void* to, const void* address, std::size_t bytes);
// Writes a message into device memory; an empty one forgets what was there.
void receive(void* address, std::size_t bytes, const std::vector<char>& message);

}  // namespace highwater::pretend
