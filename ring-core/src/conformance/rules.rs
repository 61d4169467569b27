//! What the tests have to cover, rule by rule.

/// A rule of the ring, and the tests that hold rings to it.
///
/// `.ci/spec-map` prints the table and fails where a rule has no test or names one that is not
/// there.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// `I1` to `I7` for the invariants, `C` and a number for the awkward cases, `P` and a number
    /// for promises beside the ring's answers.
    pub id: &'static str,
    /// What it says.
    pub text: &'static str,
    /// Names of tests. `module::case` is a case of the suite, which every backend runs;
    /// `module::` stands for all cases of a module. Others name package, test binary and test:
    /// `ring-core::shared readers_free_nothing`.
    pub tests: &'static [&'static str],
}

const fn rule(id: &'static str, text: &'static str, tests: &'static [&'static str]) -> Rule {
    Rule { id, text, tests }
}

/// Every rule.
pub const RULES: &[Rule] = &[
    rule("I1", "order: tokens stand in ring order, strictly increasing", &["i1_order::"]),
    rule(
        "I2",
        "membership: every token refers to a registered node, and every node is live",
        &["i2_membership::"],
    ),
    rule(
        "I3",
        "completeness: a node has exactly the tokens that id, weight, V and hash generate",
        &["i3_completeness::"],
    ),
    rule(
        "I4",
        "ownership: the first token at or clockwise after a key's hash owns the key",
        &["i4_ownership::"],
    ),
    rule(
        "I5",
        "history independence: V, the hash and the set of (id, weight) decide all tokens",
        &["i5_history::", "histories::"],
    ),
    rule(
        "I6",
        "monotonicity: keys move only to a node that gains weight or from one that loses it",
        &["i6_monotonicity::", "histories::"],
    ),
    rule("I7", "atomicity: a change that fails changes nothing", &["i7_atomicity::"]),
    rule(
        "C1",
        "the hash of a key equals that of a token",
        &["i4_ownership::a_key_exactly_on_a_token_belongs_to_it"],
    ),
    rule(
        "C2",
        "the hash of a key is one below that of a token",
        &["i4_ownership::a_key_just_before_a_token_belongs_to_it"],
    ),
    rule(
        "C3",
        "the hash of a key is one above that of a token",
        &["i4_ownership::a_key_just_after_a_token_belongs_to_the_next"],
    ),
    rule("C4", "hash 0, of a key and of a token", &["i4_ownership::hash_0_as_key_and_as_token"]),
    rule(
        "C5",
        "hash 2^64 - 1, of a key and of a token",
        &["i4_ownership::the_highest_hash_as_key_and_as_token"],
    ),
    rule(
        "C6",
        "hashes below and above 2^63, which order as unsigned numbers",
        &["i1_order::hashes_on_both_sides_of_2_63_are_unsigned"],
    ),
    rule("C7", "a ring of one token", &["i4_ownership::one_token_owns_everything"]),
    rule("C8", "a ring of one node", &["i4_ownership::one_node_owns_everything"]),
    rule(
        "C9",
        "ids that begin with one another or hold a #, the empty one too",
        &[
            "i1_order::token_ids_compare_as_whole_bytes",
            "i2_membership::removal_takes_nothing_from_ids_that_share_a_prefix",
            "i2_membership::any_string_is_an_id_of_its_own",
        ],
    ),
    rule(
        "C10",
        "a word in composed and in decomposed form makes two nodes",
        &["i2_membership::composed_and_decomposed_forms_are_two_nodes"],
    ),
    rule("C11", "ids with NUL", &["i2_membership::ids_may_hold_nul"]),
    rule(
        "C12",
        "keys with NUL",
        &["i4_ownership::keys_are_bytes_of_any_kind", "i4_ownership::keys_count_to_the_last_byte"],
    ),
    rule(
        "C13",
        "ids that UTF-16 would order otherwise than UTF-8",
        &[
            "i1_order::ids_compare_as_utf8_not_as_utf16",
            "replicas::replicas_among_equal_hashes_come_in_token_id_order",
        ],
    ),
    rule(
        "C14",
        "a node comes back with another weight",
        &["i3_completeness::re_adding_with_another_weight"],
    ),
    rule(
        "C15",
        "a refused add of a registered node leaves its weight alone",
        &["i7_atomicity::a_failed_add_does_not_change_the_stored_weight"],
    ),
    rule(
        "C16",
        "two nodes share the hash of one token",
        &["i3_completeness::two_nodes_that_share_one_hash_keep_both_tokens"],
    ),
    rule(
        "C17",
        "two nodes share the hashes of all tokens",
        &["i3_completeness::two_nodes_that_share_all_hashes_keep_all_tokens"],
    ),
    rule(
        "C18",
        "a hash of eight bits, under which nearly every token collides",
        &["i1_order::hash_cut_to_eight_bits", "histories::under_a_hash_of_8_bits"],
    ),
    rule(
        "C19",
        "scripts with the right answers, step by step",
        &["golden::cases_json", "golden::histories_json"],
    ),
    rule(
        "P1",
        "lookups allocate nothing, replica sets once or twice",
        &[
            "ring-btree::allocations lookups_allocate_what_they_say",
            "ring-sortedvec::allocations lookups_allocate_what_they_say",
        ],
    ),
    rule(
        "P2",
        "readers of a shared ring free nothing, see whole batches and do not wait",
        &[
            "sharing::readers_see_whole_batches",
            "ring-core::shared readers_free_nothing",
            "ring-core::shared no_batch_is_seen_in_part",
            "ring-core::shared readers_do_not_wait_for_a_writer",
        ],
    ),
    rule(
        "P3",
        "a panic while a shared ring changes publishes nothing and blocks nobody later",
        &[
            "sharing::a_panic_in_an_update_publishes_nothing",
            "ring-core::shared a_panic_publishes_nothing_and_blocks_nobody_later",
        ],
    ),
    rule("P4", "balance and movement are those of a random ring", &["statistics::"]),
    rule(
        "P5",
        "every answer equals that of an implementation in another language",
        &["golden::", "ring-core::golden hashes_json", "ring-core::golden capacities_json"],
    ),
    rule(
        "P6",
        "the suite rejects rings that are broken on purpose",
        &["ring-core::broken the_suite_rejects_every_fault"],
    ),
    rule(
        "P7",
        "the checkers name the invariant that is broken",
        &[
            "ring-core::checkers check_names_i1_to_i4",
            "ring-core::checkers check_change_names_i5_to_i7",
        ],
    ),
];
