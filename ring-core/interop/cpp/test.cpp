// Holds hash_ring.hpp to the golden vectors: `test TESTDATA_DIRECTORY [CASES.json]...`.
// Scripts in further files of the format of cases.json are run as well. Exit code 1 where a check fails.
#include <fstream>
#include <iostream>
#include <iterator>
#include <typeinfo>

#include "hash_ring_json.hpp"

namespace {

using hash_ring::Change;
using hash_ring::HashRing;
using hash_ring::json::Value;

int passed = 0;
int failed = 0;

void check(bool holds, const std::string& what) {
  if (holds) {
    ++passed;
  } else if (++failed <= 20) {
    std::cout << "FAILED: " << what << '\n';
  }
}

// The message of the `Error` that `call` throws, which must be just that class; empty where it throws none.
template <class Error, class Call>
std::string refusal(Call call) {
  try {
    call();
  } catch (const Error& error) {
    return typeid(error) == typeid(Error) ? error.what() : "";
  } catch (const std::exception&) {
    return "";
  }
  return "";
}

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot open " + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// A vector's member, which must be there.
const Value& at(const Value& object, std::string_view name) {
  const Value* value = object.find(name);
  if (value == nullptr) throw std::runtime_error("a vector has no member " + std::string(name));
  return *value;
}

const std::string& text(const Value& object, std::string_view name) { return at(object, name).text; }
std::uint64_t number(const Value& value) { return std::stoull(value.text); }
std::uint64_t hash(const Value& value) { return std::stoull(value.text, nullptr, 16); }
bool is_null(const Value& value) { return value.kind == Value::Kind::null; }
std::int64_t weight(const Value& object) { return std::stoll(text(object, "weight")); }

// A member that this runner does not know would be a rule left unchecked.
void known(const Value& object, std::initializer_list<std::string_view> names) {
  for (const auto& member : object.members) {
    if (std::find(names.begin(), names.end(), member.name) == names.end()) {
      throw std::runtime_error("a vector has the member " + member.name + ", which this runner does not know");
    }
  }
}

std::string unhex(const std::string& digits) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2) bytes += static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16));
  return bytes;
}

std::string key(const Value& object) {
  return object.find("key_hex") != nullptr ? unhex(text(object, "key_hex")) : text(object, "key");
}

bool same_owner(const std::optional<std::string_view>& owner, const Value& expected) {
  return is_null(expected) ? !owner.has_value() : owner.has_value() && *owner == expected.text;
}

bool same_nodes(const std::vector<std::string_view>& nodes, const Value& expected) {
  return std::equal(nodes.begin(), nodes.end(), expected.items.begin(), expected.items.end(),
                    [](std::string_view id, const Value& value) { return id == value.text; });
}

bool default_hash(const Value& ring) {
  known(ring, {"hash", "secret_hex", "vnodes_per_weight", "nodes"});
  return text(ring, "hash") == hash_ring::hash_name;
}

HashRing build(const Value& described) {
  HashRing ring(std::stoll(text(described, "vnodes_per_weight")));
  for (const Value& node : at(described, "nodes").items) ring.add_node(text(node, "id"), weight(node));
  return ring;
}

// Runs `one` on every case of a file whose ring has the default hash.
template <class One>
void each_ring(const std::string& directory, const std::string& file, std::initializer_list<std::string_view> members, One one) {
  int skipped = 0;
  for (const Value& item : hash_ring::json::Reader::parse(read_file(directory + "/" + file)).items) {
    known(item, members);
    if (!default_hash(at(item, "ring"))) {
      ++skipped;
      continue;
    }
    one(item, build(at(item, "ring")), file + ", " + text(item, "name"));
  }
  std::cout << "cpp: " << file << ": " << skipped << " rings of other hashes skipped\n";
}

void hashes(const std::string& directory) {
  const Value file = hash_ring::json::Reader::parse(read_file(directory + "/hashes.json"));
  known(file, {"plain", "keyed"});
  for (const Value& item : at(file, "plain").items) {
    known(item, {"input_hex", "fnv1a64-fmix64", "xxh3-64"});
    check(hash_ring::hash64(unhex(text(item, "input_hex"))) == hash(at(item, "fnv1a64-fmix64")), "hash of " + text(item, "input_hex"));
  }
}

void tokens(const Value& item, const HashRing& ring, const std::string& name) {
  const auto& expected = at(item, "tokens").items;
  const auto walk = ring.tokens();
  const bool same = std::equal(walk.begin(), walk.end(), expected.begin(), expected.end(), [](const hash_ring::Token& token, const Value& value) {
    return token.hash == hash(value.items.at(0)) && token.node_id == value.items.at(1).text && token.index == number(value.items.at(2));
  });
  check(same, name);

  // The same nodes backwards in one batch.
  std::vector<Change> changes;
  const auto& nodes = at(at(item, "ring"), "nodes").items;
  for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) changes.push_back(Change::add(text(*node, "id"), weight(*node)));
  HashRing backwards(ring.vnodes_per_weight());
  backwards.apply(changes);
  check(backwards == ring && backwards.fingerprint() == ring.fingerprint(), name + ", backwards");
}

void owners(const Value& item, const HashRing& ring, const std::string& name) {
  for (const Value& lookup : at(item, "lookups").items) {
    known(lookup, {"key", "key_hex", "hash", "owner"});
    check(hash_ring::hash64(key(lookup)) == hash(at(lookup, "hash")), name + ": hash of a key");
    check(same_owner(ring.get_node(key(lookup)), at(lookup, "owner")), name + ": key of hash " + text(lookup, "hash"));
  }
  for (const Value& pair : at(item, "at").items) {
    const std::uint64_t place = hash(pair.items.at(0));
    check(same_owner(ring.owner_at(place), pair.items.at(1)), name + ": owner at " + pair.items.at(0).text);
    // The walk starts with the owner's token, shows every token once, and steps back once: at the wrap.
    std::size_t seen = 0;
    int steps_back = 0;
    std::uint64_t last = place;
    for (const auto& token : ring.walk(place)) {
      if (seen++ == 0) check(token.node_id == pair.items.at(1).text, name + ": walk from " + pair.items.at(0).text);
      steps_back += token.hash < last ? 1 : 0;
      last = token.hash;
    }
    check(seen == ring.token_count() && steps_back <= 1, name + ": length of the walk from " + pair.items.at(0).text);
  }
}

void replicas(const Value& item, const HashRing& ring, const std::string& name) {
  for (const Value& lookup : at(item, "lookups").items) {
    known(lookup, {"key", "key_hex", "hash", "r", "nodes", "shortfall"});
    const auto set = ring.get_replicas(key(lookup), number(at(lookup, "r")));
    check(same_nodes(set.nodes, at(lookup, "nodes")) && set.shortfall == number(at(lookup, "shortfall")),
          name + ": " + text(lookup, "r") + " replicas at " + text(lookup, "hash"));
  }
}

void fingerprints(const Value& item, const HashRing& ring, const std::string& name) {
  check(ring.token_count() == number(at(item, "tokens")) && ring.fingerprint() == hash(at(item, "fingerprint")), name);
}

// Equal as JSON values: members in any order.
bool equal(const Value& a, const Value& b) {
  if (a.kind != b.kind || a.text != b.text || a.truth != b.truth || a.members.size() != b.members.size()) return false;
  for (const auto& member : a.members) {
    const Value* other = b.find(member.name);
    if (other == nullptr || !equal(member.value, *other)) return false;
  }
  return std::equal(a.items.begin(), a.items.end(), b.items.begin(), b.items.end(), equal);
}

void snapshots(const std::string& directory) {
  const Value file = hash_ring::json::Reader::parse(read_file(directory + "/snapshots.json"));
  known(file, {"valid", "invalid"});
  int skipped = 0;
  for (const bool valid : {true, false}) {
    for (const Value& item : at(file, valid ? "valid" : "invalid").items) {
      known(item, {"name", "text", "text_hex", "hash", "secret_hex", "snapshot", "tokens", "stage", "reason", "hidden"});
      if (item.find("hash") != nullptr && text(item, "hash") != hash_ring::hash_name) {
        ++skipped;
        continue;
      }
      const std::string document = item.find("text_hex") != nullptr ? unhex(text(item, "text_hex")) : text(item, "text");
      const std::string name = "snapshots.json, " + text(item, "name");
      try {
        const HashRing ring = hash_ring::from_snapshot(document);
        check(valid, name + ": accepted");
        if (!valid) continue;
        const Value written = hash_ring::json::Reader::parse(hash_ring::to_snapshot(ring));
        check(ring.token_count() == number(at(item, "tokens")) && equal(written, at(item, "snapshot")), name + ": written again");
      } catch (const hash_ring::RingError& error) {
        check(!valid, name + ": " + error.what());
      }
    }
  }
  std::cout << "cpp: snapshots.json: " << skipped << " documents for other hashes skipped\n";
}

Change change(const Value& item) {
  known(item, {"op", "id", "weight"});
  const std::string& op = text(item, "op");
  if (op == "remove") return Change::remove(text(item, "id"));
  if (op == "add") return Change::add(text(item, "id"), weight(item));
  if (op == "set_weight") return Change::set_weight(text(item, "id"), weight(item));
  throw std::runtime_error("a script has the change " + op + ", which this runner does not know");
}

// "ok" or "error", and for a batch the index of the change refused ("null" for the token limit).
template <class Call>
std::string outcome(HashRing& ring, Call call, std::string& index) {
  const HashRing before = ring;
  const std::uint64_t fingerprint = ring.fingerprint();
  try {
    call();
    return "ok";
  } catch (const hash_ring::ChangeError& error) {
    index = std::to_string(error.index());
  } catch (const hash_ring::RingError&) {
    index = "null";
  }
  check(ring == before && ring.fingerprint() == fingerprint && ring.token_limit() == before.token_limit(), "a refused change changed the ring");
  return "error";
}

bool step(HashRing& ring, const Value& op) {
  known(op, {"op", "id", "weight", "expect", "key", "key_hex", "r", "limit", "changes", "error_index"});
  const std::string& name = text(op, "op");
  if (name == "new") {
    ring = HashRing(ring.vnodes_per_weight());
    return true;
  }
  const Value& expect = at(op, "expect");
  std::string index;
  if (name == "add") return outcome(ring, [&] { ring.add_node(text(op, "id"), weight(op)); }, index) == expect.text;
  if (name == "set_weight") return outcome(ring, [&] { ring.set_weight(text(op, "id"), weight(op)); }, index) == expect.text;
  if (name == "limit") return outcome(ring, [&] { ring.set_token_limit(number(at(op, "limit"))); }, index) == expect.text;
  if (name == "apply") {
    std::vector<Change> changes;
    for (const Value& item : at(op, "changes").items) changes.push_back(change(item));
    if (outcome(ring, [&] { ring.apply(changes); }, index) != expect.text) return false;
    if (expect.text == "ok") return true;
    return index == (is_null(at(op, "error_index")) ? "null" : text(op, "error_index"));
  }
  if (name == "remove") return ring.remove_node(text(op, "id")) == expect.truth;
  if (name == "tokens") return ring.token_count() == number(expect);
  if (name == "fingerprint") return ring.fingerprint() == hash(expect);
  if (name == "weight") return ring.weight(text(op, "id")).value_or(0) == (is_null(expect) ? 0 : number(expect));
  if (name == "get") return same_owner(ring.get_node(key(op)), expect);
  if (name == "replicas") {
    const std::uint64_t r = number(at(op, "r"));
    const auto set = ring.get_replicas(key(op), r);
    return same_nodes(set.nodes, expect) && set.shortfall == r - expect.items.size();
  }
  throw std::runtime_error("a script has the op " + name + ", which this runner does not know");
}

void cases(const std::string& file) {
  for (const Value& script : hash_ring::json::Reader::parse(read_file(file)).items) {
    known(script, {"name", "vnodes_per_weight", "ops"});
    HashRing ring(std::stoll(text(script, "vnodes_per_weight")));
    std::size_t at_op = 0;
    for (const Value& op : at(script, "ops").items) {
      check(step(ring, op), file + ", " + text(script, "name") + ": op " + std::to_string(at_op++) + ", " + text(op, "op"));
    }
  }
}

// What no vector can say: values out of a type's range, messages, lifetimes.
void own() {
  using namespace hash_ring;
  const std::string broken[] = {"\xFF", "\xC3", "\xC0\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80", "a\x80"};
  for (const std::string& id : broken) {
    HashRing ring;
    ring.add_node("a");
    const auto calls = {
        refusal<RingError>([&] { ring.add_node(id); }), refusal<RingError>([&] { ring.remove_node(id); }),
        refusal<RingError>([&] { ring.set_weight(id, 2); }), refusal<RingError>([&] { static_cast<void>(ring.weight(id)); }),
        refusal<ChangeError>([&] { ring.apply({Change::add("b"), Change::add(id)}); })};
    for (const std::string& message : calls) check(has(message, "is not valid UTF-8"), "an id that is no UTF-8: " + message);
    check(ring.node_count() == 1 && ring.get_node(id) == "a", "a key that is no UTF-8");
  }

  for (const std::int64_t value : {std::int64_t{-1}, std::int64_t{0}, std::int64_t{0x1'0000'0000}, std::int64_t{0x1'0000'0001}}) {
    HashRing ring;
    check(has(refusal<RingError>([&] { HashRing(value).add_node("a"); }), "is " + std::to_string(value) + ", but it must be"), "V out of range");
    check(has(refusal<RingError>([&] { ring.add_node("a\"\n", value); }), "weight " + std::to_string(value) + " for node \"a\\\"\\x0a\""), "weight out of range");
    check(ring.empty() && ring.get_node("k") == std::nullopt, "a refused node is not there");
  }

  HashRing huge(0xFFFF'FFFF);
  check(has(refusal<TokenLimitError>([&] {
          huge.apply({Change::add("a", 0xFFFF'FFFF), Change::add("b", 0xFFFF'FFFF), Change::add("c", 0xFFFF'FFFF)});
        }), "would hold 55340232195358851075 tokens, but its token limit is 16777216"), "a count past 2^64 is told in full");
  check(has(refusal<RingError>([&] { huge.set_token_limit(0x1'0000'0000); }), "4294967296 is above 4294967295"), "a limit past 32 bits");

  HashRing ring(8);
  ring.apply({Change::add("a"), Change::add("b", 2), Change::remove("a"), Change::add("a", 3)});
  const std::string message = refusal<ChangeError>([&] { ring.apply({Change::remove("a"), Change::add("a"), Change::add("b")}); });
  check(has(message, "change 2 of the batch: node \"b\" is registered already, with weight 2"), "the change refused is named: " + message);
  const HashRing before = ring;
  ring.remove_node(*ring.get_node("user:42"));  // an id that points into the ring which the call changes
  check(ring.node_count() == 1 && before.node_count() == 2 && ring != before, "a copy stays as it was");
  ring.set_weight(ring.nodes()[0].id, 5);
  check(ring.token_count() == 40 && !ring.remove_node("nobody"), "an id out of nodes()");
  const auto walk = ring.tokens();
  check(std::next(walk.begin(), 40) == walk.end(), "the walk's iterators");

  HashRing written(64);
  written.add_node("A");
  written.add_node("\"\\\n\x01\xF0\x9F\x98\x80", 2);
  check(has(to_snapshot(written), "{ \"id\": \"\\\"\\\\\\n\\u0001\xF0\x9F\x98\x80\", \"weight\": 2 }"), "ids are escaped");
  check(from_snapshot(to_snapshot(written)) == written, "a snapshot read again");
  check(from_snapshot(to_snapshot(HashRing())).empty(), "the snapshot of an empty ring");

  const std::string head = R"({"format":"hash-ring","version":1,)";
  const auto bad = [](const std::string& document) { return refusal<SnapshotError>([&] { from_snapshot(document); }); };
  check(has(bad(head + R"("hash":"xxh3-64","nodes":[]})"), "names the hash \"xxh3-64\", but the ring is built with \"fnv1a64-fmix64\""), "both hashes are named");
  check(has(bad(head + R"("nodes":[{"id":"a"},{"id":"b","weight":1.0}]})"), "nodes[1].weight is 1.0, but"), "the place is named");
  check(has(bad(head + R"("nodes":[{"id":"a","weight":01}]})"), "line 1, column 64: a number does not start with 0"), "a leading zero is named");
  check(has(bad(head + R"("nodes":[{"id":"a"},{"id":"a"}]})"), "at nodes[0] and nodes[1]"), "both places are named");
  check(has(bad(head + R"("nodes":[],"fingerprint":"0123456789abcDEF"})"), "0123456789abcdef, but the ring built from it has "), "both fingerprints are named");
  check(has(bad("{\n  \"format\": \"\\ud800\"}"), "line 2, column 14: a lone surrogate"), "line and column are named");
  check(has(bad(head + R"("nodes":[],"fingerprint":"123456789abcdef"})"), "fingerprint is \"123456789abcdef\", but must be 16 hex digits"), "15 digits");
  check(has(bad(std::string(200'000, '[')), "column 66: more than 64 levels of nesting"), "no depth of nesting exhausts the stack");
  check(has(bad("{\n  \"\xC3\xA9\xFF\"}"), "line 2, column 6: the text is not valid UTF-8"), "the broken byte is named");
  check(has(bad("\xEF\xBB\xBF{}"), "line 1, column 1: a byte-order mark"), "the byte-order mark is named");
  check(has(bad(R"({"format":"hash-ring","version":2,"zones":[]})"), "version is 2, but"), "another version, before its fields");
  check(has(refusal<TokenLimitError>([&] { from_snapshot(head + R"("nodes":[{"id":"a"}]})", 99); }), "hold 100 tokens, but its token limit is 99"), "a limit on reading");
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 2) {
    std::cerr << "usage: test TESTDATA_DIRECTORY [CASES.json]...\n";
    return 2;
  }
  const std::string directory = arguments[1];
  try {
    hashes(directory);
    each_ring(directory, "tokens.json", {"name", "ring", "tokens"}, tokens);
    each_ring(directory, "owners.json", {"name", "ring", "lookups", "at"}, owners);
    each_ring(directory, "replicas.json", {"name", "ring", "lookups"}, replicas);
    each_ring(directory, "fingerprints.json", {"name", "ring", "tokens", "fingerprint"}, fingerprints);
    snapshots(directory);
    cases(directory + "/cases.json");
    for (int more = 2; more < count; ++more) cases(arguments[more]);
    own();
  } catch (const std::exception& error) {
    check(false, error.what());
  }
  std::cout << "cpp: " << passed << " passed, " << failed << " failed\n";
  return failed == 0 ? 0 : 1;
}
