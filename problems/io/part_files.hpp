// The files of a problem that has one for each matrix and vector (docs/reference/formats.md).
#pragma once

#include <map>
#include <optional>
#include <perp/problems/standard/problem.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace perp {

/// Files by field: q, lower, upper, ...
using PartFiles = std::map<std::string, std::string, std::less<>>;

/// Whether a file of that name is the one that stands for its problem in a list of files: that of
/// M, H, P, W, or of A if there is no P. One of the others is found from it.
bool leads_parts(const std::string& path);

/// Which of ".mtx" and ".csv" the matrices in a folder have, by FOLDER/M.mtx and the like; nothing
/// if there is none. @throws InputError if there are both.
std::optional<std::string_view> ending_of_parts(const std::string& folder);

/// Reads a problem from files of its fields. The path is a folder that holds FIELD.mtx, or one of
/// these files, or NAME.FIELD.mtx, or NAME.mtx, which perp itself writes as NAME.FIELD.mtx; all
/// also with .gz. Any other file, and every one with files given, is M, and nothing is looked for.
/// The name of the problem is NAME, or that of the folder.
/// @param ending ".mtx" or ".csv": the format of files whose names do not tell, and of those that
/// are looked for
/// @param given files of fields beside M
/// @throws InputError naming the file, the field or line, and the fault.
Problem read_parts(const std::string& path, std::string_view ending, const PartFiles& given);

/// The files that read_parts() reads. @throws InputError if it finds none
std::vector<std::string> files_of_parts(const std::string& path, std::string_view ending,
                                        const PartFiles& given);

}  // namespace perp
