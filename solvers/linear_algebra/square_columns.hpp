// A sparse square matrix by columns, while it is filled.
#pragma once

#include <vector>

namespace perp {

/// Column j has the rows rows[starts[j] .. starts[j + 1]) and the values at the same places. No row
/// comes twice in a column.
struct SquareColumns {
  int size = 0;
  std::vector<int> starts, rows;
  std::vector<double> values;

  void begin(int new_size) {
    size = new_size;
    starts.assign(1, 0);
    rows.clear();
    values.clear();
  }
  void append(int row, double value) {
    rows.push_back(row);
    values.push_back(value);
  }
  void end_column() { starts.push_back(static_cast<int>(rows.size())); }
  bool has_pattern_of(const SquareColumns& other) const {
    return size == other.size && starts == other.starts && rows == other.rows;
  }
};

}  // namespace perp
