//! `pingora-ketama`: a sorted array of 32-bit points, searched by halves. It cannot be changed, only built anew.

use std::net::SocketAddr;

use pingora_ketama::{Bucket, Continuum, Version};

use super::cluster::Cluster;
use super::{Changes, NOBODY, Peer, expect};
use crate::error::BenchError;

/// Which version of the ring.
pub(crate) trait Points: 'static {
    /// The version for rings of so many tokens a node.
    fn version(vnodes: u32) -> Version;
}

/// Version 1, the default: 160 points a node, whatever is asked for.
///
/// The crate's feature `v2`, which this program needs for the other one, adds a branch to it. That was measured in two
/// builds side by side, 2^15 keys: 19.0 ns against 18.5 at 10 nodes, 26.0 against 26.5 at 100, no difference at 1000.
pub(crate) struct V1;

impl Points for V1 {
    fn version(_: u32) -> Version {
        Version::V1
    }
}

/// Version 2: points of six bytes, as many a node as is asked for.
pub(crate) struct V2;

impl Points for V2 {
    fn version(vnodes: u32) -> Version {
        Version::V2 { point_multiple: vnodes }
    }
}

/// The ring, with the list of servers that its user keeps to build it from.
pub(crate) struct Ring<P> {
    peer: Continuum,
    buckets: Vec<Bucket>,
    vnodes: u32,
    replaced: Option<Continuum>,
    points: std::marker::PhantomData<P>,
}

/// A node's address.
fn address(node: u32) -> SocketAddr {
    let [_, a, b, c] = node.to_be_bytes();
    SocketAddr::from(([10, a, b, c], 443))
}

/// The node's number in its address.
#[inline]
fn number(address: SocketAddr) -> u64 {
    match address {
        SocketAddr::V4(v4) => u64::from(v4.ip().to_bits() & 0xff_ffff),
        SocketAddr::V6(_) => NOBODY,
    }
}

impl<P: Points> Ring<P> {
    fn rebuild(&mut self) {
        let ring = Continuum::new_with_version(&self.buckets, P::version(self.vnodes));
        self.replaced = Some(std::mem::replace(&mut self.peer, ring));
    }
}

impl<P: Points> Peer for Ring<P> {
    const CHANGES: Changes = Changes::Rebuild;

    fn build(cluster: &'static Cluster) -> Result<Self, BenchError> {
        let buckets: Vec<Bucket> =
            cluster.members().iter().map(|&node| Bucket::new(address(node), 1)).collect();
        let ring = Continuum::new_with_version(&buckets, P::version(cluster.vnodes));
        let points = std::marker::PhantomData;
        Ok(Self { peer: ring, buckets, vnodes: cluster.vnodes, replaced: None, points })
    }

    fn tokens(&self) -> usize {
        let points = match P::version(self.vnodes) {
            Version::V1 => pingora_ketama::DEFAULT_POINT_MULTIPLE,
            Version::V2 { point_multiple } => point_multiple,
        };
        self.buckets.len() * points as usize
    }

    #[inline]
    fn mark(&self, key: &'static str) -> u64 {
        self.peer.node(key.as_bytes()).map_or(NOBODY, number)
    }

    fn owner(&self, key: &'static str) -> Option<usize> {
        self.peer.node(key.as_bytes()).and_then(|address| usize::try_from(number(address)).ok())
    }

    fn add(&mut self, spares: &[u32]) -> Result<(), BenchError> {
        self.buckets.extend(spares.iter().map(|&node| Bucket::new(address(node), 1)));
        self.rebuild();
        Ok(())
    }

    fn remove(&mut self, spares: &[u32]) -> Result<(), BenchError> {
        // Those that joined last stand last.
        self.buckets.truncate(self.buckets.len() - spares.len());
        self.rebuild();
        Ok(())
    }

    fn forget(&mut self) {
        self.replaced = None;
    }

    fn example() -> Result<(), String> {
        let buckets = [7777, 7778].map(|port| Bucket::new(([127, 0, 0, 1], port).into(), 1));
        // Version 2 with 160 points is documented to place keys as version 1 does.
        let ring = Continuum::new_with_version(&buckets, P::version(160));
        for (key, port) in [
            ("/some/path", 7778),
            ("/some/longer/path", 7777),
            ("/sad/zaidoon", 7778),
            ("/g", 7777),
            ("/pingora/team/is/cool/and/this/is/a/long/uri", 7778),
            ("/i/am/not/confident/in/this/code", 7777),
        ] {
            let found = ring.node(key.as_bytes()).map(|address| address.port());
            expect(key, &found, &Some(port))?;
        }
        Ok(())
    }
}
