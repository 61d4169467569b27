//! Mistakes that rings are known to make, each a switch of the
//! [`ReferenceRing`](super::ReferenceRing).

/// One mistake. A [`ReferenceRing`](super::ReferenceRing) with a fault is broken on purpose, and
/// the suite has to reject it.
///
/// Each was seen in a real library, or is one slip away from correct code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// No mistake at all: such a ring has to pass, which shows that nothing but a fault makes the
    /// others fail.
    Nothing,

    // The walk and the owner.
    /// A hash past the last token has no owner, and walks stop at the last token.
    NoWrapAround,
    /// A hash that equals a token's goes to the next token: `<=` for `<` in the search.
    StrictlyAfter,
    /// Of several tokens at one hash the last one owns it.
    LastOfEqualHashesOwns,
    /// The highest hash of all is taken for "nothing", as a sentinel would be.
    HighestHashIsNobody,
    /// A walk goes round twice.
    WalkGoesRoundTwice,
    /// A walk yields its first token again at its end.
    WalkYieldsFirstTwice,

    // Ring order.
    /// Equal hashes stand in the order in which they came.
    TiesByInsertionOrder,
    /// Equal hashes are ordered by node id first and index second, not by the bytes of the token
    /// id: `a#1#5` and `a#10` change places.
    TiesByIdThenIndex,
    /// Equal hashes are ordered by the index as a number: `a#2` before `a#10`.
    TiesByNumber,
    /// Equal hashes are ordered by UTF-16 units, as some languages compare strings.
    TiesByUtf16,
    /// Hashes are sorted as signed numbers and searched as unsigned ones. (Signed in both places
    /// is the same circle, cut open elsewhere.)
    SignedSort,
    /// Hashes are compared by their upper half only.
    UpperHalfOrder,

    // Tokens and nodes.
    /// A token replaces another that has its hash: a map keyed by the hash alone.
    CollisionOverwritten,
    /// A removal takes every token whose id starts with the removed id and `#`.
    RemovalByPrefix,
    /// A removal takes one token at each of the node's hashes, whoever owns it.
    RemovalByHash,
    /// A removal takes only the first V tokens of a node.
    RemovalForgetsWeight,
    /// A lowered weight leaves the tokens above it.
    LeftoverAfterWeightChange,
    /// A raised weight adds no tokens.
    WeightRaisedInNameOnly,
    /// Every node gets V tokens, whatever its weight.
    WeightIgnored,
    /// The last node leaves its first token when it goes.
    LastNodeLeavesToken,
    /// Tokens are numbered from 1.
    IndexFromOne,
    /// A token id has no `#`.
    NoSeparator,
    /// The last token of a node is forgotten.
    OneTokenShort,
    /// Tokens are hashed by FNV-1a without its finaliser, so that they stand in clumps.
    HashWithoutFinaliser,
    /// A node's number is cut to six bits, so that nodes take each other's tokens for theirs.
    NodeNumberCut,
    /// Blanks around an id are dropped.
    IdsTrimmed,
    /// The case of an id is dropped.
    IdsFolded,
    /// The empty id is refused.
    EmptyIdRefused,
    /// An id ends at its first NUL.
    IdsEndAtNul,
    /// A key ends at its first NUL.
    KeysEndAtNul,
    /// Blanks around a key are dropped.
    KeysTrimmed,
    /// Nodes are listed by UTF-16 units of their ids.
    NodesByUtf16,

    // Changes.
    /// A refused add of a registered node changes the stored weight.
    FailedAddChangesWeight,
    /// An add with the registered weight is accepted.
    SameAddAccepted,
    /// An add of a registered node with another weight is taken for a weight change.
    AddActsAsSetWeight,
    /// A weight of 0 is accepted as a removal.
    ZeroWeightRemoves,
    /// An unknown id given to `set_weight` is registered.
    SetWeightActsAsAdd,
    /// A weight change to the weight that the node has is refused.
    SameWeightRefused,
    /// `remove_node` says `true` whatever happened.
    RemoveAlwaysTrue,
    /// A batch that fails leaves its first changes done.
    BatchNotAtomic,
    /// A batch checks every change against the ring before the batch.
    BatchCheckedAgainstStart,
    /// A batch skips the removal of an unknown id.
    BatchIgnoresUnknownRemoval,
    /// A batch names change 0 whichever failed.
    BatchNamesFirstIndex,
    /// A batch checks the token limit after every change.
    BatchChecksLimitEachTime,
    /// A batch checks the registration before the weight.
    BatchChecksWeightLast,
    /// The token limit is not checked.
    LimitIgnored,
    /// A ring that is exactly full is refused.
    LimitOffByOne,
    /// `weight × V` wraps at 32 bits when the limit is checked.
    WeightProductWraps,
    /// A new ring has another token limit than it should.
    OtherDefaultLimit,
    /// A V of 0 is taken for 1.
    ZeroVnodesAccepted,
    /// The limit can be set below the tokens that are there.
    LimitBelowCountAccepted,

    // Replicas.
    /// Asked for as many replicas as there are nodes, the owner stands at the end again.
    OwnerRepeated,
    /// Only neighbours on the ring are compared, so that a node may stand twice.
    ReplicasDropNeighboursOnly,
    /// The search for replicas stops at the last token.
    ReplicasDoNotWrap,
    /// The owner is not among the replicas.
    ReplicasWithoutOwner,
    /// Replicas come in id order.
    ReplicasSorted,
    /// More replicas than nodes: none are given.
    TooManyReplicasGiveNone,
    /// The shortfall is always 0.
    ShortfallForgotten,
    /// The lazy replicas end one node early.
    LazyReplicasEndEarly,

    // Fingerprint, snapshot, equality.
    /// The fingerprint writes hashes in little-endian order.
    FingerprintLittleEndian,
    /// The fingerprint knows only nodes and weights.
    FingerprintOfNodesOnly,
    /// Loading does not compare the fingerprint.
    LoadIgnoresFingerprint,
    /// Loading does not compare the name of the hash.
    LoadIgnoresHashName,
    /// Loading under a keyed hash does not ask for a fingerprint.
    LoadIgnoresMissingFingerprint,
    /// Loading gives every node a weight of 1.
    LoadForgetsWeights,
    /// Loading ignores V and takes the default.
    LoadForgetsVnodes,
    /// Equality looks at nodes only, not at V or the hash.
    EqualityOfNodesOnly,
    /// Equality looks at the token limit too.
    EqualityWithLimit,
    /// A batch lookup answers in reverse.
    BatchLookupReversed,
    /// A batch lookup throws away what the vector held.
    BatchLookupClears,
}

impl Fault {
    /// Every fault but [`Nothing`](Self::Nothing).
    pub const ALL: &[Self] = &[
        Self::NoWrapAround,
        Self::StrictlyAfter,
        Self::LastOfEqualHashesOwns,
        Self::HighestHashIsNobody,
        Self::WalkGoesRoundTwice,
        Self::WalkYieldsFirstTwice,
        Self::TiesByInsertionOrder,
        Self::TiesByIdThenIndex,
        Self::TiesByNumber,
        Self::TiesByUtf16,
        Self::SignedSort,
        Self::UpperHalfOrder,
        Self::CollisionOverwritten,
        Self::RemovalByPrefix,
        Self::RemovalByHash,
        Self::RemovalForgetsWeight,
        Self::LeftoverAfterWeightChange,
        Self::WeightRaisedInNameOnly,
        Self::WeightIgnored,
        Self::LastNodeLeavesToken,
        Self::IndexFromOne,
        Self::NoSeparator,
        Self::OneTokenShort,
        Self::HashWithoutFinaliser,
        Self::NodeNumberCut,
        Self::IdsTrimmed,
        Self::IdsFolded,
        Self::EmptyIdRefused,
        Self::IdsEndAtNul,
        Self::KeysEndAtNul,
        Self::KeysTrimmed,
        Self::NodesByUtf16,
        Self::FailedAddChangesWeight,
        Self::SameAddAccepted,
        Self::AddActsAsSetWeight,
        Self::ZeroWeightRemoves,
        Self::SetWeightActsAsAdd,
        Self::SameWeightRefused,
        Self::RemoveAlwaysTrue,
        Self::BatchNotAtomic,
        Self::BatchCheckedAgainstStart,
        Self::BatchIgnoresUnknownRemoval,
        Self::BatchNamesFirstIndex,
        Self::BatchChecksLimitEachTime,
        Self::BatchChecksWeightLast,
        Self::LimitIgnored,
        Self::LimitOffByOne,
        Self::WeightProductWraps,
        Self::OtherDefaultLimit,
        Self::ZeroVnodesAccepted,
        Self::LimitBelowCountAccepted,
        Self::OwnerRepeated,
        Self::ReplicasDropNeighboursOnly,
        Self::ReplicasDoNotWrap,
        Self::ReplicasWithoutOwner,
        Self::ReplicasSorted,
        Self::TooManyReplicasGiveNone,
        Self::ShortfallForgotten,
        Self::LazyReplicasEndEarly,
        Self::FingerprintLittleEndian,
        Self::FingerprintOfNodesOnly,
        Self::LoadIgnoresFingerprint,
        Self::LoadIgnoresHashName,
        Self::LoadIgnoresMissingFingerprint,
        Self::LoadForgetsWeights,
        Self::LoadForgetsVnodes,
        Self::EqualityOfNodesOnly,
        Self::EqualityWithLimit,
        Self::BatchLookupReversed,
        Self::BatchLookupClears,
    ];
}
