#include <perp/problems/json/json.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <perp/problems/json/text.hpp>
#include <set>
#include <string>

namespace perp {

InputError::InputError(const std::string& text) : std::runtime_error(message_line(text)) {}

InputError field_error(const std::string& file, std::string_view field_and_fault) {
  const auto colon = field_and_fault.find(": ");
  if (colon == std::string_view::npos)
    return InputError(fmt::format("{}: {}", file, field_and_fault));
  return InputError(fmt::format("{}: field \"{}\"{}", file, field_and_fault.substr(0, colon),
                                field_and_fault.substr(colon)));
}

}  // namespace perp

namespace perp::json {

namespace {

constexpr int kMaxDepth = 100;

// "line 3, column 7" of a byte offset.
std::string place(std::string_view text, std::size_t offset) {
  offset = std::min(offset, text.size());
  const auto line = std::count(text.begin(), text.begin() + offset, '\n') + 1;
  const auto start = text.substr(0, offset).rfind('\n');
  const auto column = offset - (start == std::string_view::npos ? 0 : start + 1);
  return fmt::format("line {}, column {}", line, std::max<std::size_t>(column, 1));
}

// Builds a Value from the events of nlohmann's parser.
class Builder {
 public:
  Builder(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  bool null() { return add(Value(nullptr)); }
  bool boolean(bool value) { return add(Value(value)); }
  bool number_integer(std::int64_t value) {
    return add_number(static_cast<double>(value), value, true);
  }
  bool number_unsigned(std::uint64_t value) {
    return add_number(static_cast<double>(value), static_cast<std::int64_t>(value),
                      value <= static_cast<std::uint64_t>(INT64_MAX));
  }
  bool number_float(double value, const std::string&) { return add_number(value, 0, false); }
  bool string(std::string& value) { return add(Value(std::move(value))); }
  bool binary(nlohmann::json::binary_t&) { return false; }

  bool start_object(std::size_t) { return open(Value(Object{})); }
  bool start_array(std::size_t) { return open(Value(Numbers{})); }
  bool end_object() {
    open_objects_.pop_back();
    return close();
  }
  bool end_array() {
    pack(stack_.back());
    return close();
  }
  bool key(std::string& name) {
    if (is_known(name)) {
      throw InputError(fmt::format("{}: field \"{}\" appears twice", file_, shown(name)));
    }
    open_objects_.back().name = std::move(name);
    return true;
  }
  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::json::exception& error) {
    if (error.id == 406) {
      throw InputError(
          fmt::format("{}: {}: a number does not fit a double", file_, place(text_, position)));
    }
    std::string what =
        error.what();  // "[json.exception...] parse error at line 1, column 2: <reason>"
    const auto reason = what.find(" while ");
    throw InputError(
        fmt::format("{}: {}: not valid JSON ({})", file_, place(text_, position),
                    shown(reason == std::string::npos ? what : what.substr(reason + 1), 200)));
  }

  Value take() { return std::move(root_); }

 private:
  struct OpenObject {
    std::string name;             // of the member being read
    std::set<std::string> names;  // of the members so far, if they are many
  };

  // Whether the object that is being read has a member of that name. If it has few, they are
  // compared one by one.
  bool is_known(const std::string& name) {
    constexpr std::size_t kFew = 32;
    const auto& members = std::get<Object>(stack_.back().data);
    if (members.size() < kFew) {
      return std::ranges::any_of(members, [&](const Member& m) { return m.first == name; });
    }
    std::set<std::string>& names = open_objects_.back().names;
    if (names.empty()) {
      for (const Member& member : members) names.insert(member.first);
    }
    return !names.insert(name).second;
  }

  bool open(Value value) {
    if (stack_.size() >= kMaxDepth) {
      throw InputError(fmt::format("{}: nested more than {} levels deep", file_, kMaxDepth));
    }
    if (value.get_if<Object>()) open_objects_.emplace_back();
    stack_.push_back(std::move(value));
    return true;
  }

  bool close() {
    Value value = std::move(stack_.back());
    stack_.pop_back();
    return add(std::move(value));
  }

  // An array starts as Numbers and becomes a general one with its first member that is no number.
  bool add(Value value) {
    if (stack_.empty()) {
      root_ = std::move(value);
      return true;
    }
    Value& top = stack_.back();
    if (auto* object = std::get_if<Object>(&top.data)) {
      object->emplace_back(std::move(open_objects_.back().name), std::move(value));
      return true;
    }
    if (const auto* numbers = std::get_if<Numbers>(&top.data)) top.data = to_array(*numbers);
    std::get<Array>(top.data).push_back(std::move(value));
    return true;
  }

  static Array to_array(const Numbers& numbers) {
    Array array;
    array.reserve(numbers.values.size() + 1);
    for (const double number : numbers.values) {
      if (numbers.integral) {
        array.emplace_back(static_cast<std::int64_t>(number));
      } else {
        array.emplace_back(number);
      }
    }
    return array;
  }

  // Whether a double holds the integer exactly.
  static bool is_double(std::int64_t integer) {
    const auto value = static_cast<double>(integer);
    return value < 0x1p63 && static_cast<std::int64_t>(value) == integer;
  }

  // An array of numbers that began with an integer which is no double, and not of integers alone.
  static void pack(Value& value) {
    const auto* array = std::get_if<Array>(&value.data);
    if (!array) return;
    Numbers numbers{{}, true};
    for (const Value& item : *array) {
      const auto* real = item.get_if<double>();
      const auto* integer = item.get_if<std::int64_t>();
      if (!real && !integer) return;
      numbers.integral = numbers.integral && integer;
      numbers.values.push_back(real ? *real : static_cast<double>(*integer));
    }
    if (!numbers.integral) value.data = std::move(numbers);
  }

  bool add_number(double value, std::int64_t integer, bool integral) {
    const bool exact = !integral || is_double(integer);
    auto* numbers = stack_.empty() ? nullptr : std::get_if<Numbers>(&stack_.back().data);
    if (numbers && (exact || !numbers->integral)) {
      numbers->values.push_back(value);
      numbers->integral = numbers->integral && integral;
      return true;
    }
    return integral ? add(Value(integer)) : add(Value(value));
  }

  std::string_view text_;
  const std::string& file_;
  Value root_;
  std::vector<Value> stack_;
  std::vector<OpenObject> open_objects_;
};

}  // namespace

const Value* Value::find(std::string_view name) const {
  if (const auto* object = get_if<Object>()) {
    for (const Member& member : *object) {
      if (member.first == name) return &member.second;
    }
  }
  return nullptr;
}

std::string_view Value::type_name() const {
  static constexpr std::string_view kNames[] = {"null",     "a boolean", "an integer", "a number",
                                                "a string", "an array",  "an array",   "an object"};
  return kNames[data.index()];
}

Value parse(std::string_view text, const std::string& file) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    throw InputError(fmt::format("{}: the file is empty", file));
  }
  if (const std::size_t end = text.find('\0'); end != std::string_view::npos)
    throw InputError(fmt::format("{}: {}: not valid JSON (a byte 0)", file, place(text, end + 1)));
  Builder builder(text, file);
  nlohmann::json::sax_parse(text.begin(), text.end(), &builder);
  return builder.take();
}

void append_number(std::string& out, double value) {
  if (!std::isfinite(value)) {
    out += "null";
    return;
  }
  const auto start = out.size();
  fmt::format_to(std::back_inserter(out), "{}", value);
  // "-0" would be read as the integer 0, so a double is always written as a double.
  if (out.find_first_of(".e", start) == std::string::npos) out += ".0";
}

void append_string(std::string& out, std::string_view value) {
  out += nlohmann::json(value).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void append_text(std::string& out, const Value& value) {
  const auto append_all = [&out](const auto& items, auto&& append_one) {
    bool first = true;
    for (const auto& item : items) {
      if (!first) out += ',';
      first = false;
      append_one(item);
    }
  };
  if (const auto* b = value.get_if<bool>()) {
    out += *b ? "true" : "false";
  } else if (const auto* integer = value.get_if<std::int64_t>()) {
    fmt::format_to(std::back_inserter(out), "{}", *integer);
  } else if (const auto* number = value.get_if<double>()) {
    append_number(out, *number);
  } else if (const auto* text = value.get_if<std::string>()) {
    append_string(out, *text);
  } else if (const auto* numbers = value.get_if<Numbers>()) {
    out += '[';
    append_all(numbers->values, [&](double v) {
      if (numbers->integral) {
        fmt::format_to(std::back_inserter(out), "{}", static_cast<std::int64_t>(v));
      } else {
        append_number(out, v);
      }
    });
    out += ']';
  } else if (const auto* array = value.get_if<Array>()) {
    out += '[';
    append_all(*array, [&](const Value& v) { append_text(out, v); });
    out += ']';
  } else if (const auto* object = value.get_if<Object>()) {
    out += '{';
    append_all(*object, [&](const Member& m) {
      append_string(out, m.first);
      out += ':';
      append_text(out, m.second);
    });
    out += '}';
  } else {
    out += "null";
  }
}

std::string to_text(const Value& value) {
  std::string out;
  append_text(out, value);
  return out;
}

}  // namespace perp::json
