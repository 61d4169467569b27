//! Golden vectors that need no ring: hashes and capacities. The suite reads the others.

use ring_core::conformance::vectors::{Members, hash, list, number, read, string};
use ring_core::{Fnv1aFmix64, Hash64, RingError, SipHash13, Xxh3, weights_from_capacities};

#[test]
fn hashes_json() {
    let file = read("hashes.json");
    let file = Members::of(&file, &["plain", "keyed"]);
    let (plain, keyed) = (file.list("plain"), file.list("keyed"));
    assert!(plain.len() > 100 && keyed.len() > 100, "too few vectors to prove anything");
    for vector in plain {
        let vector = Members::of(vector, &["input_hex", "fnv1a64-fmix64", "xxh3-64"]);
        let input = vector.bytes("input_hex");
        assert_eq!(Fnv1aFmix64.hash64(&input), vector.hash(Fnv1aFmix64.name()), "{input:?}");
        assert_eq!(Xxh3.hash64(&input), vector.hash(Xxh3.name()), "{input:?}");
    }
    for vector in keyed {
        let vector = Members::of(vector, &["secret_hex", "input_hex", "siphash-1-3"]);
        let secret = vector.bytes("secret_hex").try_into().expect("a secret is 16 bytes");
        let keyed = SipHash13::with_secret(secret);
        let input = vector.bytes("input_hex");
        assert_eq!(keyed.hash64(&input), vector.hash(keyed.name()), "{input:?}");
    }
}

/// Tokens hashed in a row, as a ring hashes them, are those of the vectors too.
#[test]
fn tokens_json_hashed_in_a_row() {
    let vectors = read("tokens.json");
    let mut tokens = 0;
    for vector in list(&vectors) {
        let vector = Members::of(vector, &["name", "ring", "tokens"]);
        let ring = ring_core::conformance::vectors::GoldenRing::of(vector.value("ring"));
        for token in vector.list("tokens") {
            let [at, id, index] = list(token) else { panic!("{token} is no token") };
            let mut row = [0; 3];
            let index = number(index);
            // The token in the middle of a row, where there is room before it.
            let first = index.saturating_sub(1);
            ring.hash.hash_tokens(string(id), first, &mut row);
            assert_eq!(row[(index - first) as usize], hash(at), "{token}");
            tokens += 1;
        }
    }
    assert!(tokens > 500, "too few tokens to prove anything: {tokens}");
}

#[test]
fn capacities_json() {
    let vectors = read("capacities.json");
    let known = ["name", "capacities", "bits", "total", "weights", "error", "exact"];
    let (mut shared_out, mut refused) = (0, 0);
    for vector in list(&vectors) {
        let vector = Members::of(vector, &known);
        let name = vector.text("name");
        let capacities: Vec<f64> =
            vector.list("bits").iter().map(|bits| f64::from_bits(hash(bits))).collect();
        let given = weights_from_capacities(&capacities, vector.number("total"));
        if let Some(weights) = vector.optional("weights") {
            let due: Vec<u32> = list(weights).iter().map(number).collect();
            assert_eq!(given, Ok(due), "{name:?}");
            shared_out += 1;
        } else {
            let reason = vector.text("error");
            assert!(
                matches!(given, Err(RingError::InvalidCapacities { .. })),
                "{name:?} must be refused ({reason}), not {given:?}"
            );
            refused += 1;
        }
    }
    assert!(shared_out > 20 && refused > 5, "{shared_out} and {refused} prove too little");
}
