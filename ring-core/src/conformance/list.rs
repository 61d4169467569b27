//! The list of cases: the one place that names them all.

use std::any::Any;

use super::backend::Backend;
use super::cases;

/// Hands the list of cases to the macro that `$then` names, which gets `$subject`, a colon, and the
/// cases by module.
#[doc(hidden)]
#[macro_export]
macro_rules! __conformance_cases {
    ($subject:ident, $($then:tt)+) => {
        $($then)+! {
            $subject:
            i1_order {
                tokens_come_once_each_and_end
                tokens_stand_by_hash_then_token_id
                equal_hashes_stand_in_token_id_order
                token_ids_compare_as_whole_bytes
                equal_hashes_ignore_who_came_first
                ids_compare_as_utf8_not_as_utf16
                hashes_on_both_sides_of_2_63_are_unsigned
                every_bit_of_a_hash_orders
                hash_cut_to_eight_bits
                large_batches_stand_in_ring_order
            }
            i2_membership {
                nodes_are_listed_in_id_order_with_weights
                removed_nodes_leave_no_token
                removal_takes_nothing_from_ids_that_share_a_prefix
                any_string_is_an_id_of_its_own
                composed_and_decomposed_forms_are_two_nodes
                ids_may_hold_nul
                nodes_that_come_where_others_went_start_anew
                more_nodes_than_sixteen_bits
            }
            i3_completeness {
                a_node_owns_weight_times_v_tokens
                a_token_stands_at_the_hash_of_its_id
                two_nodes_that_share_one_hash_keep_both_tokens
                two_nodes_that_share_all_hashes_keep_all_tokens
                a_weight_change_leaves_nothing_over
                a_weight_change_touches_only_indices_between
                re_adding_with_another_weight
                tokens_of_one_node_may_all_collide
                more_tokens_of_a_node_than_sixteen_bits
            }
            i4_ownership {
                a_key_exactly_on_a_token_belongs_to_it
                a_key_just_before_a_token_belongs_to_it
                a_key_just_after_a_token_belongs_to_the_next
                past_the_last_token_the_first_owns
                hash_0_as_key_and_as_token
                the_highest_hash_as_key_and_as_token
                one_token_owns_everything
                one_node_owns_everything
                of_tokens_at_one_hash_the_first_owns
                an_empty_ring_owns_nothing
                small_rings_turned_all_the_way_round
                a_walk_starts_with_the_owner_and_wraps_once
                a_walk_can_be_cloned_midway
                keys_are_bytes_of_any_kind
                keys_count_to_the_last_byte
                batch_lookups_equal_single_ones
                batch_lookups_at_the_edges
            }
            i5_history {
                any_order_of_adds_gives_the_same_tokens
                a_detour_leaves_no_trace
                a_batch_equals_its_changes_one_by_one
                removing_and_adding_again_changes_nothing
                a_reload_gives_the_same_tokens
                a_clone_goes_its_own_way
                equality_is_v_hash_and_weights
                the_token_limit_is_no_part_of_identity
                the_fingerprint_follows_the_tokens
            }
            i6_monotonicity {
                an_add_moves_keys_only_to_the_new_node
                a_removal_moves_only_keys_of_the_node_that_goes
                a_raised_weight_moves_keys_only_to_its_node
                a_lowered_weight_moves_only_keys_of_its_node
                a_batch_moves_nothing_between_bystanders
                a_change_and_its_inverse_move_nothing
            }
            i7_atomicity {
                a_failed_add_does_not_change_the_stored_weight
                every_failed_change_leaves_the_ring_as_it_was
                a_failed_batch_leaves_the_ring_as_it_was
                a_batch_past_the_limit_leaves_the_ring_as_it_was
                a_panicking_hash_leaves_the_ring_as_it_was
                a_hash_that_panics_in_a_removal_leaves_the_ring_as_it_was
            }
            operations {
                a_new_ring_is_empty_and_has_the_defaults
                v_of_0_is_refused
                add_node_refuses_weight_0_and_registered_ids
                remove_node_tells_whether_it_was_there
                set_weight_refuses_weight_0_and_unknown_ids
                set_weight_to_the_same_weight_changes_nothing
                apply_of_no_changes_is_ok
                apply_checks_each_change_after_the_ones_before
                apply_names_the_change_that_failed
                a_removal_then_an_add_is_a_weight_change
                an_add_then_a_removal_is_nothing
                the_limit_is_checked_on_the_final_membership
                the_limit_is_exact
                a_limit_below_the_count_is_refused
                huge_weights_are_refused_by_their_exact_number
                a_hash_that_breaks_its_contract_makes_nothing_panic
            }
            replicas {
                the_first_r_distinct_nodes_the_owner_first
                r_of_0_gives_none
                r_of_the_node_count_gives_each_node_once
                r_over_the_node_count_gives_all_and_says_how_many_are_missing
                an_empty_ring_has_no_replicas
                replicas_go_on_past_the_last_token
                nodes_met_again_later_do_not_count
                replicas_among_equal_hashes_come_in_token_id_order
                lazy_replicas_equal_the_set
                lazy_replicas_can_be_cloned_midway
                many_replicas_of_many_nodes
                replicas_follow_a_change
            }
            snapshots {
                fingerprints_of_small_rings
                a_snapshot_says_what_the_ring_is_made_of
                a_ring_comes_back_through_json
                every_shipped_hash_comes_back_through_json
                loading_keeps_v_and_weights
                another_fingerprint_is_refused_and_both_are_named
                another_hash_is_refused_and_both_are_named
                a_keyed_hash_needs_a_fingerprint_and_the_same_secret
                loading_keeps_to_the_token_limit
                a_hash_of_ones_own_comes_back
            }
            sharing {
                readers_see_whole_batches
                a_panic_in_an_update_publishes_nothing
            }
            golden {
                tokens_json
                owners_json
                replicas_json
                fingerprints_json
                cut_hashes_json
                snapshots_json_valid
                snapshots_json_invalid
                diffs_json
                shares_json
                cases_json
                histories_json
            }
            histories {
                under_the_default_hash
                under_a_hash_of_4_bits
                under_a_hash_of_8_bits
                under_a_hash_of_12_bits
            }
            statistics {
                balance_is_as_even_as_theory_says
                the_fullest_and_the_emptiest_node_stay_within_theory
                an_add_moves_as_much_as_theory_says
                a_removal_moves_as_much_as_theory_says
                keys_spread_and_move_as_theory_says
                weights_share_out_the_space
            }
        }
    };
}

/// One test of the suite.
pub struct Case<B> {
    name: &'static str,
    run: fn(&B),
}

impl<B> Case<B> {
    /// The case's module and function: `i1_order::hash_cut_to_eight_bits`.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Runs the case.
    ///
    /// # Panics
    ///
    /// Where the backend's rings are wrong.
    pub fn run(&self, backend: &B) {
        (self.run)(backend);
    }
}

impl<B> std::fmt::Debug for Case<B> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Case").field(&self.name).finish()
    }
}

macro_rules! list_of_cases {
    ($backend:ident: $($module:ident { $($case:ident)* })*) => {
        vec![$($(Case {
            name: concat!(stringify!($module), "::", stringify!($case)),
            run: cases::$module::$case::<$backend>,
        },)*)*]
    };
}

/// Every case of the suite, in the order of the list.
#[must_use]
pub fn suite<B: Backend>() -> Vec<Case<B>> {
    crate::__conformance_cases!(B, list_of_cases)
}

/// Runs the case of this name.
///
/// # Panics
///
/// Where the backend's rings are wrong, or where no case has this name.
pub fn run<B: Backend>(backend: &B, name: &str) {
    match suite().into_iter().find(|case| case.name() == name) {
        Some(case) => case.run(backend),
        None => panic!("the suite has no case {name:?}"),
    }
}

/// The message of a caught panic.
#[must_use]
pub fn panic_text(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("a panic without a message")
}
