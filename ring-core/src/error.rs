//! [`RingError`]: one type for everything that can be refused.

use core::fmt;

/// Why a call was refused. Whatever was refused changed nothing.
///
/// The message is a sentence with the value and the rule that it breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RingError {
    /// A ring needs at least one token per unit of weight.
    ZeroVnodes,
    /// A weight of 0 was given for this node; a node that should own nothing is removed instead.
    ZeroWeight {
        /// The node's id.
        id: String,
    },
    /// A node of this id is registered already.
    DuplicateNode {
        /// The node's id.
        id: String,
        /// The weight it is registered with.
        weight: u32,
    },
    /// No node of this id is registered.
    UnknownNode {
        /// The id asked for.
        id: String,
    },
    /// The ring would hold more tokens than its limit allows.
    TooManyTokens {
        /// The tokens the ring would have held.
        requested: u128,
        /// The ring's token limit.
        limit: u32,
    },
    /// A token limit below what the ring holds already.
    LimitBelowCount {
        /// The limit asked for.
        limit: u32,
        /// The tokens in the ring.
        tokens: usize,
    },
    /// A change of a batch was refused, and with it the whole batch.
    InChange {
        /// The change's position in the batch, from 0.
        index: usize,
        /// What is wrong with it.
        cause: Box<RingError>,
    },
    /// Two rings under different hashes (or secrets) were to be compared.
    DifferentHashes {
        /// Name of the first ring's hash.
        before: String,
        /// Name of the second ring's hash.
        after: String,
    },
    /// The snapshot was taken under another hash than the ring's.
    HashMismatch {
        /// The hash that the snapshot names.
        snapshot: String,
        /// The ring's hash.
        ring: String,
    },
    /// The ring built from a snapshot has another fingerprint than the snapshot says.
    FingerprintMismatch {
        /// The fingerprint in the snapshot.
        snapshot: u64,
        /// The fingerprint of the ring that was built.
        ring: u64,
    },
    /// A snapshot for a keyed hash has no fingerprint to tell whether the secret is the same.
    FingerprintMissing {
        /// The ring's hash.
        hash: String,
    },
    /// A snapshot names a node twice.
    DuplicateInSnapshot {
        /// The node's id.
        id: String,
        /// Positions of the two in `nodes`, from 0.
        positions: (usize, usize),
    },
    /// A snapshot's text is not what the format allows.
    MalformedSnapshot {
        /// What is wrong, with line and column.
        reason: String,
    },
    /// Capacities that cannot be shared out; see `weights_from_capacities`.
    InvalidCapacities {
        /// What is wrong, with the position of the capacity.
        reason: String,
    },
}

impl RingError {
    /// The error behind [`InChange`](Self::InChange), any other error as it is.
    pub(crate) fn without_index(self) -> Self {
        match self {
            Self::InChange { cause, .. } => *cause,
            other => other,
        }
    }
}

impl fmt::Display for RingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ZeroVnodes => f.write_str(
                "vnodes per weight is 0, but a node needs at least one token per unit of weight",
            ),
            Self::ZeroWeight { id } => {
                write!(
                    f,
                    "weight 0 for node {id:?}, but a weight is at least 1 (remove the node instead)"
                )
            }
            Self::DuplicateNode { id, weight } => write!(
                f,
                "node {id:?} is registered already, with weight {weight} (to change it, set its weight)"
            ),
            Self::UnknownNode { id } => write!(f, "node {id:?} is not registered"),
            Self::TooManyTokens { requested, limit } => {
                write!(f, "the ring would hold {requested} tokens, but its token limit is {limit}")
            }
            Self::LimitBelowCount { limit, tokens } => write!(
                f,
                "a token limit of {limit} is below the {tokens} tokens that the ring holds"
            ),
            Self::InChange { index, cause } => write!(f, "change {index} of the batch: {cause}"),
            Self::DifferentHashes { before, after } if before == after => write!(
                f,
                "both rings name the hash {before:?}, but under different secrets, so their arcs cannot be compared"
            ),
            Self::DifferentHashes { before, after } => write!(
                f,
                "the rings use different hashes, {before:?} and {after:?}, so their arcs cannot be compared"
            ),
            Self::HashMismatch { snapshot, ring } => write!(
                f,
                "the snapshot names the hash {snapshot:?}, but the ring is built with {ring:?}"
            ),
            Self::FingerprintMismatch { snapshot, ring } => write!(
                f,
                "the snapshot's fingerprint is {snapshot:016x}, but the ring built from it has {ring:016x}: \
                 it would route otherwise (another secret, hash, weight or vnodes_per_weight?)"
            ),
            Self::FingerprintMissing { hash } => write!(
                f,
                "the snapshot has no fingerprint, but the keyed hash {hash:?} needs one to tell whether the secret is the same"
            ),
            Self::DuplicateInSnapshot { id, positions: (first, second) } => write!(
                f,
                "node {id:?} stands twice in the snapshot, at nodes[{first}] and nodes[{second}]"
            ),
            Self::MalformedSnapshot { reason } => write!(f, "malformed snapshot: {reason}"),
            Self::InvalidCapacities { reason } => write!(f, "invalid capacities: {reason}"),
        }
    }
}

impl core::error::Error for RingError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            Self::InChange { cause, .. } => Some(cause.as_ref()),
            _ => None,
        }
    }
}
