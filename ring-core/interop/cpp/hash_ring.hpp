// A consistent-hash ring with virtual nodes. One header, C++17, standard library only.
//
// Every node of weight w owns w * V tokens. A token's place is the hash of its token id, the bytes
// `node id + "#" + index in decimal`. A key belongs to the first token at or clockwise after the key's
// hash; past the last token the walk goes on at the first. Tokens of equal hash stand in the order of
// their token ids as bytes, so the ring depends on V and the set of (id, weight) only, never on the order
// of the changes that led there. The hash is `fnv1a64-fmix64`. Any other program that keeps to this
// sends the same key to the same node.
//
//     hash_ring::HashRing ring(100);
//     ring.add_node("cache-a");
//     ring.add_node("cache-b", 2);
//     auto owner = ring.get_node("user:42");          // std::optional<std::string_view>
//     auto set = ring.get_replicas("user:42", 3);     // set.nodes, set.shortfall == 1
//
// Keys are any bytes. A node id is any valid UTF-8 string, compared byte for byte; the empty one and one
// with NUL are ids too. Whatever is refused throws a RingError and leaves the ring as it was.
//
// The const members may run on several threads at once, as long as no other thread changes the ring. To
// change a ring that others read, change a copy and publish it (a `std::shared_ptr<const HashRing>`).
// Ids that are returned as `std::string_view` point into the ring and last until its next change.
//
// Costs, with N nodes, M tokens, K tokens that come or go, R replicas: a lookup O(log M); a change
// O(K log K + M) and one new copy of the token arrays (17 bytes a token); a replica set O(log M + R) for
// balanced rings, O(M) at worst.
#ifndef HASH_RING_HPP
#define HASH_RING_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hash_ring {

inline constexpr std::string_view hash_name = "fnv1a64-fmix64";
inline constexpr std::uint32_t default_vnodes_per_weight = 100;
inline constexpr std::uint32_t default_token_limit = 16'777'216;

// Why a call was refused: a sentence that names the value and the rule it breaks.
class RingError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

// A change would take the ring past its token limit. `requested` is the count asked for, in decimal: it can
// pass 2^64.
class TokenLimitError : public RingError {
 public:
  TokenLimitError(std::string requested, std::uint32_t limit)
      : RingError("the ring would hold " + requested + " tokens, but its token limit is " + std::to_string(limit)),
        requested_(std::move(requested)),
        limit_(limit) {}
  const std::string& requested() const noexcept { return requested_; }
  std::uint32_t limit() const noexcept { return limit_; }

 private:
  std::string requested_;
  std::uint32_t limit_;
};

// One change of a batch was refused, and with it the whole batch. `index` is its position, from 0.
class ChangeError : public RingError {
 public:
  ChangeError(std::size_t index, const std::string& reason)
      : RingError("change " + std::to_string(index) + " of the batch: " + reason), index_(index) {}
  std::size_t index() const noexcept { return index_; }

 private:
  std::size_t index_;
};

struct Node {
  std::string id;
  std::uint32_t weight;
  friend bool operator==(const Node& a, const Node& b) { return a.weight == b.weight && a.id == b.id; }
  friend bool operator!=(const Node& a, const Node& b) { return !(a == b); }
};

struct Token {
  std::uint64_t hash;
  std::string_view node_id;
  std::uint32_t index;  // 0 <= index < weight * V
};

// The distinct nodes met clockwise from a key, the owner first, and how many of those asked for are missing.
struct ReplicaSet {
  std::vector<std::string_view> nodes;
  std::size_t shortfall;
};

// One step of a batch for HashRing::apply.
struct Change {
  enum class Kind { add, remove, set_weight };
  Kind kind;
  std::string id;
  std::int64_t weight;

  static Change add(std::string id, std::int64_t weight = 1) { return {Kind::add, std::move(id), weight}; }
  static Change remove(std::string id) { return {Kind::remove, std::move(id), 0}; }
  static Change set_weight(std::string id, std::int64_t weight) { return {Kind::set_weight, std::move(id), weight}; }
};

namespace detail {

// FNV-1a of 64 bits, whose state can be kept in the middle of the bytes; `finish` adds MurmurHash3's fmix64.
class Fnv1a {
 public:
  void byte(unsigned char value) noexcept { state_ = (state_ ^ value) * 0x0000'0100'0000'01B3U; }
  void bytes(std::string_view text) noexcept {
    for (char c : text) byte(static_cast<unsigned char>(c));
  }
  void decimal(std::uint32_t value) noexcept {
    char digits[10];
    std::size_t first = sizeof digits;
    do {
      digits[--first] = static_cast<char>('0' + value % 10);
      value /= 10;
    } while (value != 0);
    bytes({digits + first, sizeof digits - first});
  }
  std::uint64_t finish() const noexcept {
    std::uint64_t h = state_;
    h = (h ^ (h >> 33)) * 0xFF51'AFD7'ED55'8CCDU;
    h = (h ^ (h >> 33)) * 0xC4CE'B9FE'1A85'EC53U;
    return h ^ (h >> 33);
  }

 private:
  std::uint64_t state_ = 0xCBF2'9CE4'8422'2325U;
};

// Strict: no overlong form, no surrogate, nothing above U+10FFFF.
inline bool is_utf8(std::string_view text) noexcept {
  const auto at = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  for (std::size_t i = 0; i < text.size();) {
    const unsigned lead = at(i);
    const std::size_t length = lead < 0x80 ? 1 : lead < 0xC2 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF5 ? 4 : 0;
    if (length == 0 || length > text.size() - i) return false;
    for (std::size_t k = 1; k < length; ++k) {
      // The second byte's range is what rules out overlong forms, surrogates and values above U+10FFFF.
      const unsigned low = k > 1 ? 0x80 : lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
      const unsigned high = k > 1 ? 0xBF : lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
      if (at(i + k) < low || at(i + k) > high) return false;
    }
    i += length;
  }
  return true;
}

// The text in quotes for a message: control characters, and any byte that is no UTF-8, as escapes.
inline std::string quote(std::string_view text) {
  constexpr const char* hex = "0123456789abcdef";
  const bool readable = is_utf8(text);
  std::string out = "\"";
  for (char c : text) {
    const auto value = static_cast<unsigned char>(c);
    if (value < 0x20 || value == 0x7F || (value >= 0x80 && !readable)) {
      out += "\\x";
      out += hex[value >> 4];
      out += hex[value & 15];
    } else {
      if (c == '"' || c == '\\') out += '\\';
      out += c;
    }
  }
  return out + '"';
}

// a * b in decimal. The product can pass 2^64, so it is made of three limbs of 32 bits.
inline std::string product(std::uint64_t a, std::uint32_t b) {
  constexpr std::uint64_t low_half = 0xFFFF'FFFFU;
  const std::uint64_t low = (a & low_half) * b;
  const std::uint64_t high = (a >> 32) * b + (low >> 32);
  std::array<std::uint64_t, 3> limbs{high >> 32, high & low_half, low & low_half};
  std::string digits;
  do {
    std::uint64_t rest = 0;
    for (std::uint64_t& limb : limbs) {
      const std::uint64_t value = (rest << 32) | limb;
      limb = value / 10;
      rest = value % 10;
    }
    digits += static_cast<char>('0' + rest);
  } while (limbs != std::array<std::uint64_t, 3>{});
  std::reverse(digits.begin(), digits.end());
  return digits;
}

// Whether the token id `a#i` stands before `b#j`, byte by byte and unsigned; `a#10` stands before `a#2`.
// The ids are not joined first: this runs for tokens of equal hash only, but there may be many of them.
inline bool token_id_less(std::string_view a, std::uint32_t i, std::string_view b, std::uint32_t j) {
  const std::string tail_a = '#' + std::to_string(i);
  const std::string tail_b = '#' + std::to_string(j);
  const std::size_t size_a = a.size() + tail_a.size();
  const std::size_t size_b = b.size() + tail_b.size();
  for (std::size_t k = 0; k < std::min(size_a, size_b); ++k) {
    const auto x = static_cast<unsigned char>(k < a.size() ? a[k] : tail_a[k - a.size()]);
    const auto y = static_cast<unsigned char>(k < b.size() ? b[k] : tail_b[k - b.size()]);
    if (x != y) return x < y;
  }
  return size_a < size_b;
}

}  // namespace detail

// The ring's hash of any bytes.
inline std::uint64_t hash64(std::string_view bytes) noexcept {
  detail::Fnv1a hash;
  hash.bytes(bytes);
  return hash.finish();
}

// The ring. Weights and V are taken as 64-bit integers, so that a value that fits no 32-bit one is refused and
// not cut short.
class HashRing {
 public:
  // An empty ring. Throws where V is not in 1 ..= 2^32 - 1.
  explicit HashRing(std::int64_t vnodes_per_weight = default_vnodes_per_weight)
      : vnodes_(static_cast<std::uint32_t>(vnodes_per_weight)) {
    if (vnodes_per_weight < 1 || vnodes_per_weight > max_u32) {
      throw RingError("vnodes per weight is " + std::to_string(vnodes_per_weight) + ", but it must be from 1 to 4294967295");
    }
  }

  // Adds a node. Throws where it is registered already (with the same weight too), or the weight is not in
  // 1 ..= 2^32 - 1, or the id is not UTF-8, or the ring would pass its token limit.
  void add_node(std::string_view id, std::int64_t weight = 1) { change_one(Change::Kind::add, id, weight); }

  // Removes a node and exactly its own tokens. False, and no change, where it is not registered.
  bool remove_node(std::string_view id) {
    if (!weight(id)) return false;
    change_one(Change::Kind::remove, id, 0);
    return true;
  }

  // Gives a node another weight; only the tokens with indices between the old and the new count come or go.
  void set_weight(std::string_view id, std::int64_t weight) { change_one(Change::Kind::set_weight, id, weight); }

  // Many changes as one: all or nothing, one merge. Each is checked against the membership as the earlier ones
  // leave it, the token limit once at the end. The net change per id is what happens. Here the removal of an
  // unknown id is an error. Throws ChangeError with the index of the change refused, or TokenLimitError.
  void apply(const std::vector<Change>& changes) {
    Wanted wanted;
    for (std::size_t i = 0; i < changes.size(); ++i) {
      try {
        stage(wanted, changes[i].kind, changes[i].id, changes[i].weight);
      } catch (const RingError& error) {
        throw ChangeError(i, error.what());
      }
    }
    commit(wanted);
  }

  // The key's owner; nothing where the ring is empty.
  std::optional<std::string_view> get_node(std::string_view key) const noexcept { return owner_at(hash64(key)); }

  // The same for a hash that the caller has already.
  std::optional<std::string_view> owner_at(std::uint64_t hash) const noexcept {
    if (hashes_.empty()) return std::nullopt;
    return nodes_[slots_[first_at(hash)].owner].id;
  }

  // The first r distinct nodes clockwise, the owner first. Any r is legal: what the ring has no node for is the
  // shortfall.
  ReplicaSet get_replicas(std::string_view key, std::size_t r) const { return replicas_at(hash64(key), r); }

  ReplicaSet replicas_at(std::uint64_t hash, std::size_t r) const {
    const std::size_t found = std::min(r, nodes_.size());
    ReplicaSet set{{}, r - found};
    if (found == 0) return set;
    set.nodes.reserve(found);
    std::vector<bool> seen(nodes_.size());
    for (std::size_t i = first_at(hash); set.nodes.size() < found; i = i + 1 == slots_.size() ? 0 : i + 1) {
      const std::uint32_t owner = slots_[i].owner;
      if (seen[owner]) continue;
      seen[owner] = true;
      set.nodes.push_back(nodes_[owner].id);
    }
    return set;
  }

  // Every token once, clockwise, wrapping once. Yields `Token` by value; valid until the ring's next change.
  class Walk {
   public:
    class Iterator {
     public:
      using iterator_category = std::input_iterator_tag;
      using value_type = Token;
      using difference_type = std::ptrdiff_t;
      using pointer = const Token*;
      using reference = Token;

      Token operator*() const {
        const Slot& slot = ring_->slots_[at_];
        return {ring_->hashes_[at_], ring_->nodes_[slot.owner].id, slot.index};
      }
      Iterator& operator++() noexcept {
        --left_;
        at_ = at_ + 1 == ring_->slots_.size() ? 0 : at_ + 1;
        return *this;
      }
      Iterator operator++(int) noexcept { return std::exchange(*this, std::next(*this)); }
      friend bool operator==(const Iterator& a, const Iterator& b) noexcept { return a.left_ == b.left_; }
      friend bool operator!=(const Iterator& a, const Iterator& b) noexcept { return a.left_ != b.left_; }

     private:
      friend class Walk;
      Iterator(const HashRing* ring, std::size_t at, std::size_t left) noexcept : ring_(ring), at_(at), left_(left) {}
      const HashRing* ring_;
      std::size_t at_;
      std::size_t left_;
    };

    Iterator begin() const noexcept { return {ring_, start_, ring_->slots_.size()}; }
    Iterator end() const noexcept { return {ring_, start_, 0}; }

   private:
    friend class HashRing;
    Walk(const HashRing* ring, std::size_t start) noexcept : ring_(ring), start_(start) {}
    const HashRing* ring_;
    std::size_t start_;
  };

  // From the first token at or clockwise after `hash`.
  Walk walk(std::uint64_t hash) const noexcept { return {this, hashes_.empty() ? 0 : first_at(hash)}; }

  // All tokens in ring order.
  Walk tokens() const noexcept { return {this, 0}; }

  // The nodes in the byte order of their ids.
  const std::vector<Node>& nodes() const noexcept { return nodes_; }

  // A node's weight; nothing where it is not registered.
  std::optional<std::uint32_t> weight(std::string_view id) const {
    check_id(id);
    const auto node = find(id);
    return node == nodes_.end() ? std::nullopt : std::optional(node->weight);
  }

  bool empty() const noexcept { return nodes_.empty(); }
  std::size_t node_count() const noexcept { return nodes_.size(); }
  std::size_t token_count() const noexcept { return hashes_.size(); }
  std::uint32_t vnodes_per_weight() const noexcept { return vnodes_; }
  std::uint32_t token_limit() const noexcept { return limit_; }

  // Throws where the limit is below what the ring holds, or above 2^32 - 1. It is no part of a ring's identity.
  void set_token_limit(std::uint64_t limit) {
    if (limit > max_u32) throw RingError("a token limit of " + std::to_string(limit) + " is above 4294967295, the most there can be");
    if (limit < token_count()) {
      throw RingError("a token limit of " + std::to_string(limit) + " is below the " + std::to_string(token_count()) +
                      " tokens that the ring holds");
    }
    limit_ = static_cast<std::uint32_t>(limit);
  }

  // A hash over all tokens in ring order. Rings of one fingerprint route alike: a guard against accidents, not
  // against forgery.
  std::uint64_t fingerprint() const noexcept {
    detail::Fnv1a hash;
    for (const Token token : tokens()) {
      for (int shift = 56; shift >= 0; shift -= 8) hash.byte(static_cast<unsigned char>(token.hash >> shift));
      hash.bytes(token.node_id);
      hash.byte('#');
      hash.decimal(token.index);
      hash.byte('\n');
    }
    return hash.finish();
  }

  // Equal rings have the same V and the same nodes with the same weights.
  friend bool operator==(const HashRing& a, const HashRing& b) { return a.vnodes_ == b.vnodes_ && a.nodes_ == b.nodes_; }
  friend bool operator!=(const HashRing& a, const HashRing& b) { return !(a == b); }

 private:
  static constexpr std::int64_t max_u32 = std::numeric_limits<std::uint32_t>::max();

  struct Slot {
    std::uint32_t owner;  // position in nodes_
    std::uint32_t index;
  };
  // What the touched ids shall weigh in the end; 0 stands for absent. The keys point to the caller's ids.
  using Wanted = std::map<std::string_view, std::uint32_t>;

  static void check_id(std::string_view id) {
    if (!detail::is_utf8(id)) throw RingError("node id " + detail::quote(id) + " is not valid UTF-8");
  }

  std::vector<Node>::const_iterator find(std::string_view id) const noexcept {
    // Comparing as string_view is comparing bytes as unsigned: char_traits<char> says so.
    const auto node = std::lower_bound(nodes_.begin(), nodes_.end(), id,
                                       [](const Node& a, std::string_view b) { return std::string_view(a.id) < b; });
    return node != nodes_.end() && node->id == id ? node : nodes_.end();
  }

  std::uint32_t weight_or_zero(std::string_view id) const noexcept {
    const auto node = find(id);
    return node == nodes_.end() ? 0 : node->weight;
  }

  // Position of the first token at or after `hash`, round to 0 past the last. The ring is not empty.
  std::size_t first_at(std::uint64_t hash) const noexcept {
    const std::size_t bucket = static_cast<std::size_t>(hash >> shift_);
    const std::uint64_t* base = hashes_.data();
    const auto at = static_cast<std::size_t>(std::lower_bound(base + starts_[bucket], base + starts_[bucket + 1], hash) - base);
    return at == hashes_.size() ? 0 : at;
  }

  void change_one(Change::Kind kind, std::string_view id, std::int64_t weight) {
    Wanted wanted;
    stage(wanted, kind, id, weight);
    commit(wanted);
  }

  void stage(Wanted& wanted, Change::Kind kind, std::string_view id, std::int64_t weight) const {
    check_id(id);
    if (kind != Change::Kind::remove && (weight < 1 || weight > max_u32)) {
      throw RingError("weight " + std::to_string(weight) + " for node " + detail::quote(id) +
                      ", but a weight is from 1 to 4294967295 (a node that shall own nothing is removed instead)");
    }
    const auto staged = wanted.find(id);
    const std::uint32_t current = staged == wanted.end() ? weight_or_zero(id) : staged->second;
    if (kind == Change::Kind::add && current != 0) {
      throw RingError("node " + detail::quote(id) + " is registered already, with weight " + std::to_string(current) +
                      " (set_weight changes it)");
    }
    if (kind != Change::Kind::add && current == 0) throw RingError("node " + detail::quote(id) + " is not registered");
    wanted[id] = kind == Change::Kind::remove ? 0 : static_cast<std::uint32_t>(weight);
  }

  // Builds the new nodes and tokens beside the old ones and swaps them in, so that a failure (no memory) leaves
  // the ring as it was.
  void commit(const Wanted& wanted) {
    std::uint64_t total_weight = hashes_.size() / vnodes_;
    bool same = true;
    for (const auto& [id, weight] : wanted) {
      const std::uint32_t before = weight_or_zero(id);
      total_weight = total_weight - before + weight;
      same = same && before == weight;
    }
    if (same) return;
    if (total_weight > limit_ / vnodes_) throw TokenLimitError(detail::product(total_weight, vnodes_), limit_);

    struct Fate {
      std::uint32_t owner;  // the old node's new position
      std::uint32_t kept;   // how many of its tokens stay: the lowest indices
    };
    struct Fresh {
      std::uint64_t hash;
      Slot slot;
    };
    std::vector<Node> nodes;
    std::vector<Fate> fates(nodes_.size(), Fate{0, 0});
    std::vector<Fresh> fresh;
    nodes.reserve(nodes_.size() + wanted.size());
    const auto place = [&](std::string_view id, std::uint32_t before, std::uint32_t after, std::size_t old) {
      const auto owner = static_cast<std::uint32_t>(nodes.size());
      if (before != 0) fates[old] = {owner, std::min(before, after) * vnodes_};
      if (after == 0) return;
      nodes.push_back({std::string(id), after});
      detail::Fnv1a state;
      state.bytes(id);
      state.byte('#');
      for (std::uint32_t index = before * vnodes_; index < after * vnodes_; ++index) {
        detail::Fnv1a hash = state;
        hash.decimal(index);
        fresh.push_back({hash.finish(), {owner, index}});
      }
    };
    auto want = wanted.begin();
    for (std::size_t old = 0; old < nodes_.size() || want != wanted.end();) {
      const int order = old == nodes_.size()    ? 1
                        : want == wanted.end() ? -1
                                               : std::string_view(nodes_[old].id).compare(want->first);
      const std::uint32_t before = order > 0 ? 0 : nodes_[old].weight;
      const std::uint32_t after = order < 0 ? before : want->second;
      place(order < 0 ? std::string_view(nodes_[old].id) : want->first, before, after, old);
      if (order <= 0) ++old;
      if (order >= 0) ++want;
    }

    const auto less = [&](std::uint64_t hash_a, Slot a, std::uint64_t hash_b, Slot b) {
      if (hash_a != hash_b) return hash_a < hash_b;
      return detail::token_id_less(nodes[a.owner].id, a.index, nodes[b.owner].id, b.index);
    };
    std::sort(fresh.begin(), fresh.end(),
              [&](const Fresh& a, const Fresh& b) { return less(a.hash, a.slot, b.hash, b.slot); });

    std::vector<std::uint64_t> hashes;
    std::vector<Slot> slots;
    hashes.reserve(static_cast<std::size_t>(total_weight) * vnodes_);
    slots.reserve(hashes.capacity());
    const auto push = [&](std::uint64_t hash, Slot slot) {
      hashes.push_back(hash);
      slots.push_back(slot);
    };
    auto next = fresh.begin();
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      const Fate fate = fates[slots_[i].owner];
      if (slots_[i].index >= fate.kept) continue;
      const Slot slot{fate.owner, slots_[i].index};
      for (; next != fresh.end() && less(next->hash, next->slot, hashes_[i], slot); ++next) push(next->hash, next->slot);
      push(hashes_[i], slot);
    }
    for (; next != fresh.end(); ++next) push(next->hash, next->slot);

    // Buckets of 4 to 8 tokens on average. However the tokens cluster, a search in one takes O(log M).
    int bits = 1;
    while (hashes.size() >> (bits + 3) != 0) ++bits;
    const int shift = 64 - bits;
    std::vector<std::uint32_t> starts((std::size_t{1} << bits) + 1);
    std::size_t start = 0;
    for (std::size_t bucket = 0; bucket < starts.size(); ++bucket) {
      while (start < hashes.size() && hashes[start] >> shift < bucket) ++start;
      starts[bucket] = static_cast<std::uint32_t>(start);
    }

    shift_ = shift;
    nodes_.swap(nodes);
    hashes_.swap(hashes);
    slots_.swap(slots);
    starts_.swap(starts);
  }

  std::uint32_t vnodes_;
  std::uint32_t limit_ = default_token_limit;
  std::vector<Node> nodes_;            // in id order
  std::vector<std::uint64_t> hashes_;  // in ring order, apart from the slots: the search touches nothing else
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> starts_;  // for each value of a hash's first bits: the first token there or after
  int shift_ = 63;                     // what leaves those first bits of a hash
};

}  // namespace hash_ring

#endif
