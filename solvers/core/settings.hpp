// Settings that can be listed, printed, read and written without a second list of them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace perp {

/// Sees every setting of a solver: its name, a reference to its value, one line of documentation.
class SettingVisitor {
 public:
  virtual ~SettingVisitor() = default;
  virtual void visit(std::string_view name, double& value, std::string_view doc) = 0;
  virtual void visit(std::string_view name, int& value, std::string_view doc) = 0;
  virtual void visit(std::string_view name, bool& value, std::string_view doc) = 0;
  virtual void visit(std::string_view name, std::string& value, std::string_view doc) = 0;
};

/// One setting as text.
struct SettingText {
  std::string name, value, doc;
};

}  // namespace perp
