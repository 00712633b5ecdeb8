// A list whose copies share its elements.
#pragma once

#include <atomic>
#include <initializer_list>
#include <memory>
#include <utility>
#include <vector>

namespace perp {

/// A list that copies of this object share until one of them is changed: to copy it costs nothing,
/// whatever its length. So the problems of a sequence can have the same names at no expense. A
/// reference to an element is valid until the list is changed.
template <class T>
class SharedList {
 public:
  using value_type = T;
  using const_iterator = typename std::vector<T>::const_iterator;
  using iterator = const_iterator;

  SharedList() = default;
  SharedList(std::vector<T> list)  // NOLINT: conversion is the point
      : list_(std::make_shared<std::vector<T>>(std::move(list))) {}
  SharedList(std::initializer_list<T> list) : SharedList(std::vector<T>(list)) {}

  /// The elements.
  const std::vector<T>& get() const {
    static const std::vector<T> kNone;
    return list_ ? *list_ : kNone;
  }
  operator const std::vector<T>&() const { return get(); }  // NOLINT: conversion is the point
  /// The elements, to change them: those of this object alone. No copy of the object may be made
  /// while the reference is in use.
  std::vector<T>& edit() {
    if (!list_) {
      list_ = std::make_shared<std::vector<T>>();
    } else if (list_.use_count() > 1) {
      list_ = std::make_shared<std::vector<T>>(*list_);
    } else {
      std::atomic_thread_fence(std::memory_order_acquire);  // others that have let go of it
    }
    return *list_;
  }

  std::size_t size() const { return get().size(); }
  bool empty() const { return get().empty(); }
  const_iterator begin() const { return get().begin(); }
  const_iterator end() const { return get().end(); }
  const T& operator[](std::size_t i) const { return get()[i]; }
  const T& front() const { return get().front(); }
  const T& back() const { return get().back(); }

  void push_back(T element) { edit().push_back(std::move(element)); }
  template <class... Args>
  T& emplace_back(Args&&... args) {
    return edit().emplace_back(std::forward<Args>(args)...);
  }
  void resize(std::size_t size) { edit().resize(size); }
  void clear() { list_.reset(); }

  friend bool operator==(const SharedList& a, const SharedList& b) {
    return a.list_ == b.list_ || a.get() == b.get();
  }

 private:
  std::shared_ptr<std::vector<T>> list_;  // nullptr: empty
};

}  // namespace perp
