// Snapshots of hash_ring.hpp as JSON, and the small strict JSON reader behind them. C++17, standard library only.
//
//     std::string text = hash_ring::to_snapshot(ring);
//     hash_ring::HashRing back = hash_ring::from_snapshot(text);
//
// A snapshot holds V, the hash's name, the nodes with their weights and the fingerprint; never the tokens.
// Where it carries a fingerprint and the ring built from the rest has another, reading fails.
#ifndef HASH_RING_JSON_HPP
#define HASH_RING_JSON_HPP

#include <initializer_list>
#include <map>
#include <set>

#include "hash_ring.hpp"

namespace hash_ring {

// A snapshot's text is not what the format allows. The message names the place.
class SnapshotError : public RingError {
 public:
  explicit SnapshotError(const std::string& reason) : RingError("malformed snapshot: " + reason) {}
};

namespace json {

// A JSON text is malformed. The message names line and column, counted from 1, the column in bytes.
class ParseError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct Member;

// One value. A number stays as it was written, so that nothing is rounded and `1.0` is not taken for `1`.
struct Value {
  enum class Kind { null, boolean, number, string, array, object };
  Kind kind = Kind::null;
  bool truth = false;
  std::string text;            // a string's content, or a number as written
  std::vector<Value> items;    // of an array
  std::vector<Member> members; // of an object, in the order written

  const Value* find(std::string_view name) const;
};

struct Member {
  std::string name;
  Value value;
};

inline const Value* Value::find(std::string_view name) const {
  for (const Member& member : members) {
    if (member.name == name) return &member.value;
  }
  return nullptr;
}

// Reads one JSON text by RFC 8259, and refuses besides: a byte-order mark, bytes that are no UTF-8, a lone
// surrogate, a member that stands twice in one object, more than 64 levels.
class Reader {
 public:
  static Value parse(std::string_view text) {
    Reader reader(text);
    if (text.substr(0, 3) == "\xEF\xBB\xBF") reader.fail("a byte-order mark stands before the text");
    if (!detail::is_utf8(text)) reader.fail_at_broken_utf8();
    Value value = reader.value(0);
    reader.space();
    if (reader.at_ < text.size()) reader.fail("text after the end of the document");
    return value;
  }

 private:
  static constexpr int max_depth = 64;

  explicit Reader(std::string_view text) : text_(text) {}

  [[noreturn]] void fail(const std::string& reason) const {
    const std::string_view before = text_.substr(0, at_);
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    const std::size_t start = before.rfind('\n') + 1;  // npos + 1 is 0: the first line
    throw ParseError("line " + std::to_string(line) + ", column " + std::to_string(at_ - start + 1) + ": " + reason);
  }

  [[noreturn]] void fail_at_broken_utf8() {
    // Only on the way to an error: the whole characters before the broken one are stepped over one by one.
    for (std::size_t length = 1; at_ < text_.size(); length = length < 4 ? length + 1 : 5) {
      if (length == 5) break;
      if (length <= text_.size() - at_ && detail::is_utf8(text_.substr(at_, length))) {
        at_ += length;
        length = 0;
      }
    }
    fail("the text is not valid UTF-8");
  }

  bool next_is(char c) const noexcept { return at_ < text_.size() && text_[at_] == c; }
  bool next_is_digit() const noexcept { return at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; }

  bool take(char c) noexcept {
    if (!next_is(c)) return false;
    ++at_;
    return true;
  }

  void expect(char c, const char* where) {
    if (!take(c)) fail("expected '" + std::string(1, c) + "' " + where);
  }

  void space() noexcept {
    while (next_is(' ') || next_is('\t') || next_is('\n') || next_is('\r')) ++at_;
  }

  bool word(std::string_view name) noexcept {
    if (text_.substr(at_, name.size()) != name) return false;
    at_ += name.size();
    return true;
  }

  Value value(int depth) {
    space();
    if (depth > max_depth) fail("more than " + std::to_string(max_depth) + " levels of nesting");
    Value value;
    if (next_is('{')) {
      object(value, depth);
    } else if (next_is('[')) {
      array(value, depth);
    } else if (next_is('"')) {
      value.kind = Value::Kind::string;
      value.text = string();
    } else if (next_is('-') || next_is_digit()) {
      value.kind = Value::Kind::number;
      value.text = number();
    } else if (word("true")) {
      value.kind = Value::Kind::boolean;
      value.truth = true;
    } else if (word("false")) {
      value.kind = Value::Kind::boolean;
    } else if (!word("null")) {
      fail(at_ == text_.size() ? "the text ends where a value is expected" : "expected a value");
    }
    return value;
  }

  void object(Value& object, int depth) {
    object.kind = Value::Kind::object;
    std::set<std::string> names;
    expect('{', "before the members");
    space();
    if (take('}')) return;
    do {
      space();
      if (!next_is('"')) fail("expected the name of a member, in double quotes");
      const std::size_t start = at_;
      std::string name = string();
      if (!names.insert(name).second) {
        at_ = start;
        fail("the member " + detail::quote(name) + " stands twice in one object");
      }
      space();
      expect(':', "after the name of a member");
      Value member = value(depth + 1);
      object.members.push_back({std::move(name), std::move(member)});
      space();
    } while (take(','));
    expect('}', "or ',' after a member");
  }

  void array(Value& array, int depth) {
    array.kind = Value::Kind::array;
    expect('[', "before the items");
    space();
    if (take(']')) return;
    do {
      array.items.push_back(value(depth + 1));
      space();
    } while (take(','));
    expect(']', "or ',' after an item");
  }

  std::string number() {
    const std::size_t start = at_;
    take('-');
    if (!next_is_digit()) fail("expected a digit");
    if (!take('0')) digits();
    if (next_is_digit()) fail("a number does not start with 0");
    if (take('.')) digits();
    if (take('e') || take('E')) {
      if (!take('+')) take('-');
      digits();
    }
    return std::string(text_.substr(start, at_ - start));
  }

  void digits() {
    if (!next_is_digit()) fail("expected a digit");
    while (next_is_digit()) ++at_;
  }

  std::string string() {
    std::string out;
    expect('"', "before a string");
    for (;;) {
      const std::size_t plain = at_;
      while (at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\\' && static_cast<unsigned char>(text_[at_]) >= 0x20) ++at_;
      out += text_.substr(plain, at_ - plain);
      if (take('"')) return out;
      if (at_ == text_.size()) fail("the text ends inside a string");
      if (!next_is('\\')) fail("a control character in a string is written as an escape");
      escape(out);
    }
  }

  void escape(std::string& out) {
    constexpr std::string_view names = "\"\\/bfnrt";
    constexpr std::string_view meant = "\"\\/\b\f\n\r\t";
    const std::size_t start = at_++;
    if (take('u')) {
      std::uint32_t code = hex4();
      if (code >= 0xD800 && code < 0xE000) {
        const bool paired = code < 0xDC00 && word("\\u");
        const std::uint32_t low = paired ? hex4() : 0;
        if (low < 0xDC00 || low >= 0xE000) {
          at_ = start;
          fail("a lone surrogate, which is no character");
        }
        code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
      }
      append(out, code);
      return;
    }
    const std::size_t which = at_ < text_.size() ? names.find(text_[at_]) : std::string_view::npos;
    if (which == std::string_view::npos) {
      at_ = start;
      fail("an unknown escape in a string");
    }
    ++at_;
    out += meant[which];
  }

  std::uint32_t hex4() {
    std::uint32_t value = 0;
    for (int i = 0; i < 4; ++i, ++at_) {
      const char c = at_ < text_.size() ? text_[at_] : '\0';
      const int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
      if (digit < 0) fail("expected four hex digits after \\u");
      value = value << 4 | static_cast<std::uint32_t>(digit);
    }
    return value;
  }

  static void append(std::string& out, std::uint32_t code) {
    const auto push = [&](std::uint32_t byte) { out += static_cast<char>(static_cast<unsigned char>(byte)); };
    if (code < 0x80) {
      push(code);
      return;
    }
    const int tail = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    const std::uint32_t lead = tail == 1 ? 0xC0 : tail == 2 ? 0xE0 : 0xF0;
    push(lead | code >> (6 * tail));
    for (int i = tail - 1; i >= 0; --i) push(0x80 | (code >> (6 * i) & 0x3F));
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

// Text as a JSON string: short escapes where JSON has them, characters outside ASCII as they are.
inline std::string quote(std::string_view text) {
  constexpr std::string_view controls = "\b\f\n\r\t";
  constexpr std::string_view names = "bfnrt";
  constexpr const char* hex = "0123456789abcdef";
  std::string out = "\"";
  for (char c : text) {
    const auto value = static_cast<unsigned char>(c);
    const std::size_t named = controls.find(c);
    if (c == '"' || c == '\\') {
      (out += '\\') += c;
    } else if (named != std::string_view::npos) {
      (out += '\\') += names[named];
    } else if (value < 0x20) {
      ((out += "\\u00") += hex[value >> 4]) += hex[value & 15];
    } else {
      out += c;
    }
  }
  return out + '"';
}

}  // namespace json

namespace detail {

inline std::string hex16(std::uint64_t value) {
  std::string out;
  for (int shift = 60; shift >= 0; shift -= 4) out += "0123456789abcdef"[value >> shift & 15];
  return out;
}

inline const std::string& string_at(const json::Value& value, const std::string& place) {
  if (value.kind != json::Value::Kind::string) throw SnapshotError(place + " is not a string");
  return value.text;
}

// A plain JSON integer from 1 to 2^32 - 1: no fraction, no exponent, no string.
inline std::uint32_t integer_at(const json::Value& value, const std::string& place) {
  const std::string rule = ", but must be a plain integer from 1 to 4294967295";
  if (value.kind != json::Value::Kind::number) throw SnapshotError(place + " is not a number" + rule);
  std::uint64_t number = 0;
  for (char c : value.text) {
    if (c < '0' || c > '9') throw SnapshotError(place + " is " + value.text + rule);
    number = std::min<std::uint64_t>(number * 10 + static_cast<std::uint64_t>(c - '0'), 0x1'0000'0000U);
  }
  if (number == 0 || number > 0xFFFF'FFFFU) throw SnapshotError(place + " is " + value.text + rule);
  return static_cast<std::uint32_t>(number);
}

inline std::uint64_t fingerprint_at(const json::Value& value) {
  const std::string& text = string_at(value, "fingerprint");
  std::uint64_t number = 0;
  for (char c : text) {
    const int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
    if (digit < 0 || text.size() != 16) throw SnapshotError("fingerprint is " + quote(text) + ", but must be 16 hex digits");
    number = number << 4 | static_cast<std::uint64_t>(digit);
  }
  if (text.empty()) throw SnapshotError("fingerprint is \"\", but must be 16 hex digits");
  return number;
}

// Refuses members that are not in `known`. An empty `place` is the document itself.
inline void only(const json::Value& object, std::initializer_list<std::string_view> known, const std::string& place) {
  if (object.kind != json::Value::Kind::object) throw SnapshotError((place.empty() ? "the document" : place) + " is not an object");
  for (const json::Member& member : object.members) {
    if (std::find(known.begin(), known.end(), member.name) == known.end()) {
      throw SnapshotError("unknown field " + quote(member.name) + (place.empty() ? "" : " in " + place));
    }
  }
}

inline const json::Value& required(const json::Value& object, std::string_view name, const std::string& place) {
  const json::Value* value = object.find(name);
  if (value == nullptr) throw SnapshotError("the field " + quote(name) + " is missing" + (place.empty() ? "" : " in " + place));
  return *value;
}

inline std::vector<Change> nodes_at(const json::Value& list) {
  if (list.kind != json::Value::Kind::array) throw SnapshotError("nodes is not an array");
  std::vector<Change> changes;
  std::map<std::string_view, std::size_t> positions;
  changes.reserve(list.items.size());
  for (std::size_t i = 0; i < list.items.size(); ++i) {
    const json::Value& node = list.items[i];
    const std::string place = "nodes[" + std::to_string(i) + "]";
    only(node, {"id", "weight"}, place);
    const std::string& id = string_at(required(node, "id", place), place + ".id");
    const json::Value* weight = node.find("weight");
    const auto [first, fresh] = positions.emplace(id, i);
    if (!fresh) {
      throw SnapshotError("node " + quote(id) + " stands twice in the snapshot, at nodes[" + std::to_string(first->second) + "] and " + place);
    }
    changes.push_back(Change::add(id, weight == nullptr ? 1 : integer_at(*weight, place + ".weight")));
  }
  return changes;
}

}  // namespace detail

// The ring's snapshot: nodes in id order, plain integers, the fingerprint in lower case, a newline at the end.
inline std::string to_snapshot(const HashRing& ring) {
  std::string out = "{\n  \"format\": \"hash-ring\",\n  \"version\": 1,\n  \"hash\": " + json::quote(hash_name) +
                    ",\n  \"vnodes_per_weight\": " + std::to_string(ring.vnodes_per_weight()) + ",\n  \"nodes\": [";
  const char* separator = "\n";
  for (const Node& node : ring.nodes()) {
    out += separator;
    out += "    { \"id\": " + json::quote(node.id) + ", \"weight\": " + std::to_string(node.weight) + " }";
    separator = ",\n";
  }
  return out + (ring.empty() ? "" : "\n  ") + "],\n  \"fingerprint\": \"" + detail::hex16(ring.fingerprint()) + "\"\n}\n";
}

// The ring that a snapshot describes. Throws SnapshotError where the text breaks a rule of the format, names
// another hash or another fingerprint than the ring built from it has; TokenLimitError past `token_limit`.
inline HashRing from_snapshot(std::string_view text, std::uint64_t token_limit = default_token_limit) {
  json::Value document;
  try {
    document = json::Reader::parse(text);
  } catch (const json::ParseError& error) {
    throw SnapshotError(error.what());
  }
  if (document.kind != json::Value::Kind::object) throw SnapshotError("the document is not an object");
  // What it is and which version come first: another version may well have other fields.
  const std::string& format = detail::string_at(detail::required(document, "format", ""), "format");
  if (format != "hash-ring") throw SnapshotError("format is " + detail::quote(format) + ", but this reads \"hash-ring\"");
  const std::uint32_t version = detail::integer_at(detail::required(document, "version", ""), "version");
  if (version != 1) throw SnapshotError("version is " + std::to_string(version) + ", but this reads version 1");
  detail::only(document, {"format", "version", "hash", "vnodes_per_weight", "nodes", "fingerprint"}, "");

  const json::Value* hash = document.find("hash");
  if (hash != nullptr && detail::string_at(*hash, "hash") != hash_name) {
    throw SnapshotError("the snapshot names the hash " + detail::quote(hash->text) + ", but the ring is built with " + detail::quote(hash_name));
  }
  const json::Value* vnodes = document.find("vnodes_per_weight");
  const json::Value* fingerprint = document.find("fingerprint");
  const std::uint64_t expected = fingerprint == nullptr ? 0 : detail::fingerprint_at(*fingerprint);
  const std::vector<Change> changes = detail::nodes_at(detail::required(document, "nodes", ""));

  HashRing ring(vnodes == nullptr ? default_vnodes_per_weight : detail::integer_at(*vnodes, "vnodes_per_weight"));
  ring.set_token_limit(token_limit);
  ring.apply(changes);
  if (fingerprint != nullptr && expected != ring.fingerprint()) {
    throw SnapshotError("the snapshot's fingerprint is " + detail::hex16(expected) + ", but the ring built from it has " +
                        detail::hex16(ring.fingerprint()) + ": it would route otherwise (another hash, weight or vnodes_per_weight?)");
  }
  return ring;
}

}  // namespace hash_ring

#endif
