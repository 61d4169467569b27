"""A consistent-hash ring that routes exactly as its siblings in Rust, C++, Java and TypeScript do.

One file, Python 3.9 or later, standard library only: copy it.

    ring = HashRing(vnodes_per_weight=100)
    ring.add_node("cache-a")
    ring.add_node("cache-b", 2)              # twice the weight, twice the keys
    ring.get_node("user:42")                 # 'cache-a', 'cache-b', or None on an empty ring
    ring.get_nodes(["user:1", b"\\xff"])      # many at once, faster than one by one
    ring.get_replicas("user:42", 3)          # ReplicaSet(nodes=[...], shortfall=1)
    same = HashRing.from_snapshot(ring.snapshot())

A node of weight w owns w * V tokens. Token i of a node stands at hash64(node_id + "#" + i); tokens are
sorted by (hash, token id as UTF-8 bytes). A key belongs to the first token at or after its own hash, and
past the last token to the first. The costs below use N nodes, M tokens, K tokens changed, R replicas.

Threads: a change builds new tables and puts them in place with one assignment. Threads that only look up
see the ring before the change or after it. Two threads that change one ring need a lock of their own.
"""

from __future__ import annotations

import json
import sys
from array import array
from bisect import bisect_left
from typing import Any, Dict, Iterable, Iterator, List, NamedTuple, Optional, Tuple, Union

__all__ = [
    "Change", "DEFAULT_TOKEN_LIMIT", "DEFAULT_VNODES_PER_WEIGHT", "DuplicateNodeError", "HASH_NAME", "HashRing",
    "InvalidValueError", "Key", "Node", "ReplicaSet", "RingError", "SnapshotError", "Token", "TokenLimitError",
    "UnknownNodeError", "hash64",
]

HASH_NAME = "fnv1a64-fmix64"
DEFAULT_VNODES_PER_WEIGHT = 100
DEFAULT_TOKEN_LIMIT = 16_777_216

Key = Union[str, bytes, bytearray, memoryview]

_U32_MAX = 0xFFFF_FFFF
_U64_MAX = 0xFFFF_FFFF_FFFF_FFFF
_OFFSET = 0xCBF2_9CE4_8422_2325
_PRIME = 0x0000_0100_0000_01B3
_MIX_1 = 0xFF51_AFD7_ED55_8CCD
_MIX_2 = 0xC4CE_B9FE_1A85_EC53
_BATCH = 4096  # keys hashed together; larger batches leave the processor's cache and gain nothing


# ---------------------------------------------------------------------------------------------- errors


class RingError(ValueError):
    """What every refusal of this module is. `index` is the failing change's place in `apply`, else None."""

    index: Optional[int] = None


class InvalidValueError(RingError):
    """A weight, V, limit, hash or replica count outside its range, or a text with an unpaired surrogate."""


class DuplicateNodeError(RingError):
    """The id is already registered, with whatever weight."""


class UnknownNodeError(RingError):
    """The id is not registered."""


class TokenLimitError(RingError):
    """The ring would hold more tokens than its limit. Carries `asked` and `limit`."""

    def __init__(self, asked: int, limit: int) -> None:
        super().__init__(f"the ring would hold {asked} tokens, and its limit is {limit}")
        self.asked = asked
        self.limit = limit


class SnapshotError(RingError):
    """The text is no snapshot of version 1, or the ring built from it is another one. The message names the place."""


# ---------------------------------------------------------------------------------------------- values


class Node(NamedTuple):
    """A member of the ring."""

    id: str
    weight: int


class Token(NamedTuple):
    """A point of the ring. Its token id is `f"{node_id}#{index}"`."""

    hash: int
    node_id: str
    index: int


class ReplicaSet(NamedTuple):
    """The distinct nodes met clockwise, owner first, and how many of the asked number are missing."""

    nodes: List[str]
    shortfall: int


class Change(NamedTuple):
    """One step of `HashRing.apply`. Make it with `add`, `remove` or `set_weight`."""

    kind: str
    id: str
    weight: Optional[int] = None

    @classmethod
    def add(cls, node_id: str, weight: int = 1) -> Change:
        return cls("add", node_id, weight)

    @classmethod
    def remove(cls, node_id: str) -> Change:
        return cls("remove", node_id)

    @classmethod
    def set_weight(cls, node_id: str, weight: int) -> Change:
        return cls("set_weight", node_id, weight)


# ------------------------------------------------------------------------------------------------ hash


def _utf8(text: str, what: str) -> bytes:
    if not isinstance(text, str):
        raise TypeError(f"a {what} is a str, not {type(text).__name__}")
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise InvalidValueError(
            f"{what} {text!r}: the character at index {error.start} is an unpaired surrogate, which UTF-8 cannot hold"
        ) from None


def _key_bytes(key: Key) -> bytes:
    if isinstance(key, str):
        return _utf8(key, "key")
    if isinstance(key, (bytes, bytearray, memoryview)):
        return bytes(key)
    raise TypeError(f"a key is a str or bytes, not {type(key).__name__}")


def _fnv1a(state: int, data: bytes) -> int:
    for byte in data:
        state = (state ^ byte) * _PRIME & _U64_MAX
    return state


def _fmix(state: int) -> int:
    state = (state ^ (state >> 33)) * _MIX_1 & _U64_MAX
    state = (state ^ (state >> 33)) * _MIX_2 & _U64_MAX
    return state ^ (state >> 33)


def hash64(key: Key) -> int:
    """FNV-1a (64-bit) over the key's bytes, then MurmurHash3's fmix64: an integer from 0 to 2**64 - 1."""
    return _fmix(_fnv1a(_OFFSET, _key_bytes(key)))


def _hash_lanes(keys: List[bytes], length: int) -> array:
    """The hashes of keys that all have `length` bytes, computed side by side.

    Python's integers have no fixed width, so one integer carries all the states: key n has the 128-bit lane n.
    A state fills the low half of its lane; a product of two 64-bit numbers fits the lane and never reaches the
    next one; `& mask` then drops the high halves. One step of the hash is thus a few passes in C over all keys.
    """
    count = len(keys)
    data = b"".join(keys)
    ones = int.from_bytes((b"\x01" + bytes(15)) * count, "little")
    mask = ones * _U64_MAX
    column = bytearray(16 * count)
    state = ones * _OFFSET
    for at in range(length):
        column[::16] = data[at::length]
        state = (state ^ int.from_bytes(column, "little")) * _PRIME & mask
    state = (state ^ (state >> 33 & mask)) * _MIX_1 & mask
    state = (state ^ (state >> 33 & mask)) * _MIX_2 & mask
    state ^= state >> 33  # spills into high halves, which go next
    lanes = array("Q", state.to_bytes(16 * count, "little"))
    if sys.byteorder == "big":
        lanes.byteswap()
    return lanes[::2]


def _hash_many(keys: List[bytes]) -> List[int]:
    """`hash64` of each key, in order. Keys of one length go through `_hash_lanes` together."""
    by_length: Dict[int, List[int]] = {}
    for at, key in enumerate(keys):
        by_length.setdefault(len(key), []).append(at)
    hashes = [0] * len(keys)
    for length, places in by_length.items():
        group = [keys[at] for at in places]
        # Under eight lanes the fixed cost of setting them up is more than they save.
        found = _hash_lanes(group, length) if len(group) >= 8 else [_fmix(_fnv1a(_OFFSET, key)) for key in group]
        for at, value in zip(places, found):
            hashes[at] = value
    return hashes


def _token_hashes(node_id: str, start: int, stop: int) -> Iterator[Tuple[int, int]]:
    """(hash, index) of a node's tokens. Index 123 goes on from the state after "12": one step a token."""
    states = [_fnv1a(_OFFSET, _utf8(node_id, "node id") + b"#")]  # states[0]: no digit yet
    for prefix in range(1, (stop - 1) // 10 + 1):
        states.append((states[prefix // 10] ^ (48 + prefix % 10)) * _PRIME & _U64_MAX)
    for index in range(start, stop):
        yield _fmix((states[index // 10] ^ (48 + index % 10)) * _PRIME & _U64_MAX), index


# ------------------------------------------------------------------------------------------------ ring


class _State(NamedTuple):
    """Everything that a change replaces. Never mutated once it is in place."""

    weights: Dict[str, int]
    hashes: array  # of unsigned 64-bit, in ring order
    owners: List[str]
    indices: array  # of unsigned 32-bit or wider


def _position(state: _State, token_hash: int, token_id: str) -> int:
    """Where the token stands or would stand. Python compares str by code point, which is UTF-8's byte order."""
    at = bisect_left(state.hashes, token_hash)
    while at < len(state.hashes) and state.hashes[at] == token_hash:
        if f"{state.owners[at]}#{state.indices[at]}" >= token_id:
            break
        at += 1
    return at


def _edited(state: _State, weights: Dict[str, int], vnodes: int) -> _State:
    """The state for `weights`: only tokens of nodes whose weight differs come or go."""
    cuts: List[int] = []
    fresh: List[Tuple[int, str, str, int]] = []
    for node_id in sorted(state.weights.keys() | weights.keys()):
        had, has = state.weights.get(node_id, 0) * vnodes, weights.get(node_id, 0) * vnodes
        for token_hash, index in _token_hashes(node_id, has, had) if has < had else ():
            cuts.append(_position(state, token_hash, f"{node_id}#{index}"))
        for token_hash, index in _token_hashes(node_id, had, has) if had < has else ():
            fresh.append((token_hash, f"{node_id}#{index}", node_id, index))
    cuts.sort()
    fresh.sort()
    # Edits in order of place; at one place the new tokens stand before the old one that is cut (False < True).
    edits = [(_position(state, token[0], token[1]), False, token) for token in fresh]
    edits += [(at, True, None) for at in cuts]
    edits.sort(key=lambda edit: edit[:2])
    hashes, owners, indices = array("Q"), [], array(state.indices.typecode)
    done = 0
    for at, cut, token in edits:
        if done < at:
            hashes += state.hashes[done:at]
            owners += state.owners[done:at]
            indices += state.indices[done:at]
        done = at + cut
        if token is not None:
            hashes.append(token[0])
            owners.append(token[2])
            indices.append(token[3])
    hashes += state.hashes[done:]
    owners += state.owners[done:]
    indices += state.indices[done:]
    return _State(weights, hashes, owners, indices)


def _integer(value: Any, what: str, low: int, high: int) -> int:
    # bool is an int to Python, and True as a count is a slip.
    if type(value) is not int or not low <= value <= high:
        raise InvalidValueError(f"{what} {value!r}: an integer from {low} to {high} is needed")
    return value


def _step(weights: Dict[str, int], change: Change) -> None:
    """Checks one change against `weights` and carries it out there."""
    kind, node_id, weight = change
    _utf8(node_id, "node id")
    if kind == "remove":
        if weights.pop(node_id, None) is None:
            raise UnknownNodeError(f"node {node_id!r} cannot be removed: it is not registered")
        return
    if kind not in ("add", "set_weight"):
        raise TypeError(f"unknown kind of change {kind!r}")
    if type(weight) is not int or not 1 <= weight <= _U32_MAX:
        raise InvalidValueError(f"weight {weight!r} of node {node_id!r}: an integer from 1 to {_U32_MAX} is needed")
    if kind == "add" and node_id in weights:
        raise DuplicateNodeError(f"node {node_id!r} is already registered, with weight {weights[node_id]}")
    if kind == "set_weight" and node_id not in weights:
        raise UnknownNodeError(f"the weight of node {node_id!r} cannot be set: it is not registered")
    weights[node_id] = weight


class HashRing:
    """A ring with a fixed V (`vnodes_per_weight`). Rings are equal where V and the set of (id, weight) are."""

    def __init__(
        self, vnodes_per_weight: int = DEFAULT_VNODES_PER_WEIGHT, *, token_limit: int = DEFAULT_TOKEN_LIMIT
    ) -> None:
        self._vnodes = _integer(vnodes_per_weight, "vnodes_per_weight", 1, _U32_MAX)
        self._limit = _integer(token_limit, "token limit", 0, _U32_MAX)
        self._state = _State({}, array("Q"), [], array("I" if array("I").itemsize >= 4 else "L"))

    # -- settings and membership

    @property
    def vnodes_per_weight(self) -> int:
        """V: tokens per unit of weight."""
        return self._vnodes

    @property
    def token_limit(self) -> int:
        """The most tokens the ring may hold; no part of its identity. Setting it below the count is an error."""
        return self._limit

    @token_limit.setter
    def token_limit(self, limit: int) -> None:
        limit = _integer(limit, "token limit", 0, _U32_MAX)
        if limit < self.token_count:
            raise TokenLimitError(self.token_count, limit)
        self._limit = limit

    @property
    def node_count(self) -> int:
        return len(self._state.weights)

    @property
    def token_count(self) -> int:
        return len(self._state.hashes)

    def weight(self, node_id: str) -> Optional[int]:
        """The node's weight, None where it is not registered."""
        _utf8(node_id, "node id")
        return self._state.weights.get(node_id)

    def nodes(self) -> List[Node]:
        """The nodes in id order (UTF-8 bytes). O(N log N)."""
        return [Node(*item) for item in sorted(self._state.weights.items())]

    # -- changes: each either happens or raises and leaves the ring as it was

    def add_node(self, node_id: str, weight: int = 1) -> None:
        """Registers a node. Errors: a weight out of range, a registered id, the token limit. O(M + K log M)."""
        self._change(Change.add(node_id, weight))

    def remove_node(self, node_id: str) -> bool:
        """Removes exactly the node's tokens; False and no change where it is not registered. O(M + K log M)."""
        if self.weight(node_id) is None:
            return False
        self._change(Change.remove(node_id))
        return True

    def set_weight(self, node_id: str, weight: int) -> None:
        """Changes a registered node's weight; only the tokens between the two counts move. O(M + K log M)."""
        self._change(Change.set_weight(node_id, weight))

    def apply(self, changes: Iterable[Change]) -> None:
        """All changes as one, or none. The ring is rebuilt once. O(M + K log M).

        Each change is checked against the membership as the earlier ones leave it; removing an unknown id is an
        error here. The error's `index` is the failing change's place. The token limit is checked once, on the
        final membership; that error has no index.
        """
        weights = dict(self._state.weights)
        for index, change in enumerate(changes):
            try:
                _step(weights, change)
            except RingError as error:
                error.index = index
                error.args = (f"change {index}: {error}",)
                raise
        self._commit(weights)

    def _change(self, change: Change) -> None:
        weights = dict(self._state.weights)
        _step(weights, change)
        self._commit(weights)

    def _commit(self, weights: Dict[str, int]) -> None:
        asked = sum(weights.values()) * self._vnodes
        if asked > self._limit:
            raise TokenLimitError(asked, self._limit)
        self._state = _edited(self._state, weights, self._vnodes)

    # -- lookups

    def get_node(self, key: Key) -> Optional[str]:
        """The key's owner, None on an empty ring. O(len(key) + log M)."""
        return self._owner(_fmix(_fnv1a(_OFFSET, _key_bytes(key))))

    def get_nodes(self, keys: Iterable[Key]) -> List[Optional[str]]:
        """`[get_node(key) for key in keys]`, faster: the keys are hashed side by side. One key is no list of keys."""
        if isinstance(keys, (str, bytes, bytearray)):
            raise TypeError(f"get_nodes takes several keys, not the one {keys!r}; get_node takes one")
        state = self._state
        keys = [_key_bytes(key) for key in keys]
        if not state.owners:
            return [None] * len(keys)
        owners, hashes, count = state.owners, state.hashes, len(state.owners)
        found: List[Optional[str]] = []
        for start in range(0, len(keys), _BATCH):
            # Less the count, the places run from -count to 0: the one past the last token is the first one's.
            found += [owners[bisect_left(hashes, value) - count] for value in _hash_many(keys[start : start + _BATCH])]
        return found

    def owner_at(self, value: int) -> Optional[str]:
        """The owner of a hash that the caller already has. O(log M)."""
        return self._owner(_integer(value, "hash", 0, _U64_MAX))

    def _owner(self, value: int) -> Optional[str]:
        state = self._state
        if not state.owners:
            return None
        at = bisect_left(state.hashes, value)
        return state.owners[at if at < len(state.owners) else 0]

    def get_replicas(self, key: Key, r: int) -> ReplicaSet:
        """The first `r` distinct nodes clockwise, owner first. `r` over the node count gives all of them and says
        how many are missing. O(log M) and a short walk."""
        return self.replicas_at(hash64(key), r)

    def replicas_at(self, value: int, r: int) -> ReplicaSet:
        """`get_replicas` for a hash that the caller already has."""
        if type(r) is not int or r < 0:
            raise InvalidValueError(f"replica count {r!r}: an integer of 0 or more is needed")
        state = self._state
        wanted = min(r, len(state.weights))
        start = bisect_left(state.hashes, _integer(value, "hash", 0, _U64_MAX))
        found: Dict[str, None] = {}  # a dict keeps the order of insertion
        for step in range(len(state.owners) if wanted else 0):
            found[state.owners[(start + step) % len(state.owners)]] = None
            if len(found) == wanted:
                break
        return ReplicaSet(list(found), r - len(found))

    def walk(self, value: int) -> Iterator[Token]:
        """Every token once, clockwise from the first at or after `value`. A later change does not disturb it."""
        state = self._state
        start = bisect_left(state.hashes, _integer(value, "hash", 0, _U64_MAX))
        places = (at for part in (range(start, len(state.hashes)), range(start)) for at in part)
        return (Token(state.hashes[at], state.owners[at], state.indices[at]) for at in places)

    def tokens(self) -> Iterator[Token]:
        """All tokens in ring order."""
        return self.walk(0)

    # -- identity and snapshots

    def fingerprint(self) -> int:
        """A 64-bit digest of all tokens in ring order; equal fingerprints route alike. A guard against accidents,
        not against forgery. O(M)."""
        digest = _OFFSET
        for token_hash, node_id, index in self.tokens():
            digest = _fnv1a(digest, token_hash.to_bytes(8, "big") + f"{node_id}#{index}\n".encode("utf-8"))
        return _fmix(digest)

    def snapshot(self) -> str:
        """The ring as a JSON document, with its fingerprint."""
        lines = ",".join(
            f'\n    {{ "id": {json.dumps(node.id, ensure_ascii=False)}, "weight": {node.weight} }}' for node in self.nodes()
        )
        return (
            f'{{\n  "format": "hash-ring",\n  "version": 1,\n  "hash": "{HASH_NAME}",\n'
            f'  "vnodes_per_weight": {self._vnodes},\n  "nodes": [{lines}{chr(10) + "  " if lines else ""}],\n'
            f'  "fingerprint": "{self.fingerprint():016x}"\n}}\n'
        )

    @classmethod
    def from_snapshot(cls, text: Union[str, bytes], *, token_limit: int = DEFAULT_TOKEN_LIMIT) -> HashRing:
        """The ring that a snapshot describes. Bytes must be UTF-8. Raises `SnapshotError` (with the place), or
        `TokenLimitError` before anything is allocated. O(M log M)."""
        vnodes, nodes, fingerprint = _read_snapshot(text)
        ring = cls(vnodes, token_limit=token_limit)
        ring._commit(nodes)
        if fingerprint is not None and ring.fingerprint() != fingerprint:
            raise SnapshotError(
                f"fingerprint: the snapshot states {fingerprint:016x}, the ring built from it has {ring.fingerprint():016x}"
            )
        return ring

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, HashRing):
            return NotImplemented
        return self._vnodes == other._vnodes and self._state.weights == other._state.weights

    __hash__ = None  # type: ignore[assignment]  # a ring changes

    def __repr__(self) -> str:
        return f"<HashRing V={self._vnodes} nodes={self.node_count} tokens={self.token_count}>"


# ------------------------------------------------------------------------------------ reading snapshots


class _Members(list):
    """A JSON object as its (name, value) pairs, so that a duplicate member can still be seen."""


class _OddNumber(str):
    """The text of a number that is no plain integer, such as 1.0 or 1e0."""


def _read_number(text: str) -> Union[int, _OddNumber]:
    # Nothing in a snapshot needs more than ten digits, and int() of a very long text is quadratic.
    return int(text) if len(text) <= 20 else _OddNumber(text)


def _read_constant(text: str) -> Any:
    raise SnapshotError(f"{text} is not JSON")


def _parse(text: Union[str, bytes]) -> Any:
    """JSON as the RFC has it. `json.loads` alone would take byte-order marks, NaN, UTF-16 and lone surrogates."""
    if not isinstance(text, str):
        try:
            text = bytes(text).decode("utf-8")
        except UnicodeDecodeError as error:
            raise SnapshotError(f"byte {error.start}: the snapshot is not UTF-8") from None
    if text.startswith("\ufeff"):
        raise SnapshotError("line 1, column 1: a byte-order mark is not allowed")
    try:
        return json.loads(
            text,
            object_pairs_hook=_Members,
            parse_int=_read_number,
            parse_float=_OddNumber,
            parse_constant=_read_constant,
        )
    except json.JSONDecodeError as error:
        raise SnapshotError(f"line {error.lineno}, column {error.colno}: {error.msg}") from None
    except RecursionError:
        raise SnapshotError("the snapshot is nested too deeply") from None


def _shown(value: Any) -> str:
    text = value if isinstance(value, _OddNumber) else "an object" if isinstance(value, _Members) else repr(value)
    return text if len(text) <= 80 else text[:77] + "..."


def _fields(value: Any, place: str, allowed: Tuple[str, ...], required: Tuple[str, ...]) -> Dict[str, Any]:
    if not isinstance(value, _Members):
        raise SnapshotError(f"{place}: an object is needed, not {_shown(value)}")
    found: Dict[str, Any] = {}
    for name, member in value:
        if name not in allowed:
            raise SnapshotError(f"{place}: unknown field {name!r}; version 1 has {', '.join(allowed)}")
        if name in found:
            raise SnapshotError(f"{place}: field {name!r} stands twice")
        found[name] = member
    for name in required:
        if name not in found:
            raise SnapshotError(f"{place}: field {name!r} is missing")
    return found


def _text(value: Any, place: str) -> str:
    if type(value) is not str:
        raise SnapshotError(f"{place}: a string is needed, not {_shown(value)}")
    try:
        _utf8(value, "string")
    except InvalidValueError as error:
        raise SnapshotError(f"{place}: {error}") from None
    return value


def _count(value: Any, place: str) -> int:
    if type(value) is not int or not 1 <= value <= _U32_MAX:
        raise SnapshotError(f"{place}: a plain integer from 1 to {_U32_MAX} is needed, not {_shown(value)}")
    return value


def _read_snapshot(text: Union[str, bytes]) -> Tuple[int, Dict[str, int], Optional[int]]:
    """V, the nodes, and the fingerprint where one is stated."""
    names = ("format", "version", "hash", "vnodes_per_weight", "nodes", "fingerprint")
    top = _fields(_parse(text), "snapshot", names, ("format", "version", "nodes"))
    if _text(top["format"], "format") != "hash-ring":
        raise SnapshotError(f"format: 'hash-ring' is needed, not {_shown(top['format'])}")
    if type(top["version"]) is not int or top["version"] != 1:
        raise SnapshotError(f"version: 1 is needed, not {_shown(top['version'])}")
    if _text(top.get("hash", HASH_NAME), "hash") != HASH_NAME:
        raise SnapshotError(f"hash: the snapshot was made with {_shown(top['hash'])}, this ring has {HASH_NAME!r}")
    vnodes = _count(top.get("vnodes_per_weight", DEFAULT_VNODES_PER_WEIGHT), "vnodes_per_weight")
    if type(top["nodes"]) is not list:
        raise SnapshotError(f"nodes: an array is needed, not {_shown(top['nodes'])}")
    weights: Dict[str, int] = {}
    for at, item in enumerate(top["nodes"]):
        node = _fields(item, f"nodes[{at}]", ("id", "weight"), ("id",))
        node_id = _text(node["id"], f"nodes[{at}].id")
        weight = _count(node.get("weight", 1), f"nodes[{at}].weight")
        if node_id in weights:
            raise SnapshotError(f"nodes[{at}].id: node {node_id!r} stands twice")
        weights[node_id] = weight
    if "fingerprint" not in top:
        return vnodes, weights, None
    digits = _text(top["fingerprint"], "fingerprint")
    if len(digits) != 16 or not set(digits) <= set("0123456789abcdefABCDEF"):
        raise SnapshotError(f"fingerprint: 16 hexadecimal digits are needed, not {_shown(digits)}")
    return vnodes, weights, int(digits, 16)
