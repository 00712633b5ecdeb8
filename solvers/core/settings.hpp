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

/// What every solver obeys.
struct CommonSettings {
  double tolerance = 1e-8;  ///< the verifier's measure that is aimed at
  int max_iterations = 0;   ///< 0: the solver's own default
  double time_limit = 0.0;  ///< seconds a solve may take; 0: none
};

/// One setting as text.
struct SettingText {
  std::string name, value, doc;
};

}  // namespace perp
