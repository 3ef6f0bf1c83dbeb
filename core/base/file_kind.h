#pragma once

#include <filesystem>
#include <string>
#include <string_view>

/// Recognizes files of other kinds by their first bytes, so that a message can say what a file is, not only
/// what it is not.
namespace highwater::base {

/// How many bytes at the beginning of a file are enough to recognize it.
inline constexpr std::size_t kKindBytes = 4096;

/// Returns what a file with this beginning is, and what to do if it only points to another: "is a NIfTI
/// scan", "is a pointer of Git LFS, not the file itself; run git lfs pull". Empty if unknown. `beginning` may
/// be the whole file.
std::string whatItIs(std::string_view beginning);
/// The same for a file; also empty if it cannot be read.
std::string whatFileIs(const std::filesystem::path& file);

/// Whether `what` says that the file is only a pointer to another one.
bool isPointer(std::string_view what);
/// Whether `what` says that the file is a scan, and whether it is a sweep of Highwater.
bool isScan(std::string_view what);
bool isSweep(std::string_view what);
/// Adds what is needed instead to a result of whatItIs: "is a NIfTI scan; JSON is needed".
std::string wrongKind(const std::string& what, std::string_view needed);

}  // namespace highwater::base
