#pragma once

#include <filesystem>
#include <string>
#include <string_view>

/// Recognizes files of other kinds by how they begin, so that a message can say what a file is and not only
/// what it is not.
namespace highwater::base {

/// How many bytes of a file's beginning are enough.
inline constexpr std::size_t kKindBytes = 4096;

/// Returns what a file that begins so is, and what to do if it only stands for another: "is a NIfTI scan",
/// "is a pointer of Git LFS, not the file itself; run git lfs pull". Empty if it is not known. `beginning`
/// may be the whole file.
std::string whatItIs(std::string_view beginning);
/// The same of a file; also empty if it cannot be read.
std::string whatFileIs(const std::filesystem::path& file);

/// Whether that says that the file only stands for another one.
bool isPointer(std::string_view what);
/// Adds what is needed instead to what whatItIs returned: "is a NIfTI scan; JSON is needed".
std::string wrongKind(const std::string& what, std::string_view needed);

}  // namespace highwater::base
