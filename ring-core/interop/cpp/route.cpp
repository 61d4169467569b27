// route SNAPSHOT KEYS [--replicas R] [--bench]
//
// Writes every line of the file KEYS, TAB, and its nodes, TAB-separated, the owner first (R is 1 where it is left
// out). Keys are bytes up to the LF; a CR stays part of the key; the last line needs no LF. With --bench it writes
// how many lookups a second it does over the keys in memory, and nothing else.
// Exit codes: 0 done, 1 writing failed, 2 usage or bad input.
#include <chrono>
#include <fstream>
#include <iostream>
#include <iterator>

#include "hash_ring_json.hpp"

namespace {

constexpr const char* usage = "usage: route SNAPSHOT KEYS [--replicas R] [--bench]";

struct Options {
  std::vector<std::string> files;
  std::uint32_t replicas = 1;
  bool bench = false;
};

class BadInput : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

std::uint32_t count(const std::string& text) {
  const bool digits = !text.empty() && text.size() <= 10 && text.find_first_not_of("0123456789") == std::string::npos;
  if (!digits || std::stoull(text) > 0xFFFF'FFFFU) {
    throw BadInput("--replicas is " + hash_ring::detail::quote(text) + ", but must be a number from 0 to 4294967295");
  }
  return static_cast<std::uint32_t>(std::stoull(text));
}

Options options(const std::vector<std::string>& arguments) {
  Options options;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] == "--bench") {
      options.bench = true;
    } else if (arguments[i] == "--replicas") {
      if (++i == arguments.size()) throw BadInput(std::string("--replicas needs a number; ") + usage);
      options.replicas = count(arguments[i]);
    } else if (arguments[i].rfind("--", 0) == 0) {
      throw BadInput("unknown option " + arguments[i] + "; " + usage);
    } else {
      options.files.push_back(arguments[i]);
    }
  }
  if (options.files.size() != 2) throw BadInput(usage);
  return options;
}

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  try {
    if (file) return {std::istreambuf_iterator<char>(file), {}};
  } catch (const std::ios_base::failure&) {
    // The path opened, but its bytes cannot be read: a folder.
  }
  throw BadInput("cannot read " + path);
}

std::vector<std::string_view> lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

// An id with one of the separators in it would make the lines mean something else.
void check_ids(const hash_ring::HashRing& ring) {
  for (const auto& node : ring.nodes()) {
    if (node.id.find_first_of("\t\n\r") != std::string::npos) {
      throw BadInput("node " + hash_ring::detail::quote(node.id) + " holds TAB, LF or CR, which separate the output's fields");
    }
  }
}

bool write_out(std::string& out) {
  std::cout.write(out.data(), static_cast<std::streamsize>(out.size()));
  out.clear();
  return static_cast<bool>(std::cout);
}

int route(const hash_ring::HashRing& ring, const std::vector<std::string_view>& keys, std::uint32_t replicas) {
  check_ids(ring);
  std::string out;
  std::uint64_t short_keys = 0;
  for (const std::string_view key : keys) {
    (out += key) += '\t';
    if (replicas == 1) {
      const auto owner = ring.get_node(key);
      out += owner.value_or("");
      if (!owner) ++short_keys;
    } else {
      const auto set = ring.get_replicas(key, replicas);
      const char* separator = "";
      for (const std::string_view id : set.nodes) {
        (out += separator) += id;
        separator = "\t";
      }
      if (set.shortfall > 0) ++short_keys;
    }
    out += '\n';
    if (out.size() > 1 << 16 && !write_out(out)) break;
  }
  if (!write_out(out) || !std::cout.flush()) {
    std::cerr << "route: cannot write the output\n";
    return 1;
  }
  if (short_keys > 0) std::cerr << "route: " << short_keys << " keys have fewer than " << replicas << " nodes\n";
  return 0;
}

void bench(const hash_ring::HashRing& ring, const std::vector<std::string_view>& keys, std::uint32_t replicas) {
  if (keys.empty()) throw BadInput("--bench needs at least one key");
  using Clock = std::chrono::steady_clock;
  std::uint64_t lookups = 0;
  std::uint64_t answers = 0;  // told, so that no lookup can be left out
  double seconds = 0;
  for (int pass = 0; pass == 0 || seconds < 1; ++pass) {
    const auto start = Clock::now();
    for (const std::string_view key : keys) {
      answers += replicas == 1 ? ring.get_node(key).value_or("").size() : ring.get_replicas(key, replicas).nodes.size();
    }
    // The first pass warms up.
    if (pass == 0) continue;
    seconds += std::chrono::duration<double>(Clock::now() - start).count();
    lookups += keys.size();
  }
  std::cout << "cpp: " << static_cast<std::uint64_t>(static_cast<double>(lookups) / seconds) << " lookups per second (" << keys.size() << " keys, "
            << ring.token_count() << " tokens, R = " << replicas << ", check " << answers << ")\n";
}

}  // namespace

int main(int argument_count, char** arguments) {
  std::ios::sync_with_stdio(false);
  try {
    const Options options = ::options({arguments + 1, arguments + argument_count});
    const std::string snapshot = read_file(options.files[0]);
    const hash_ring::HashRing ring = hash_ring::from_snapshot(snapshot);
    const std::string text = read_file(options.files[1]);
    const std::vector<std::string_view> keys = lines(text);
    if (!options.bench) return route(ring, keys, options.replicas);
    bench(ring, keys, options.replicas);
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "route: " << error.what() << '\n';
    return 2;
  }
}
