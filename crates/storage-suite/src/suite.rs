//! The list of cases.

/// Makes two tests of every case, for the store that `open` opens: a path to an
/// `async fn() -> Box<dyn Subject>`.
///
/// Cases that disturb all users of a server get their store from `alone`, where that differs: for
/// etcd, whose compaction concerns the whole cluster.
#[macro_export]
macro_rules! suite {
    ($open:path) => {
        $crate::suite!($open, alone: $open);
    };
    ($open:path, alone: $alone:path) => {
        $crate::suite_cases! {
            $open {
                single {
                    an_update_of_a_missing_key_is_not_found
                    what_was_created_reads_back_with_its_revision
                    what_is_packed_reads_back_and_can_be_kept_alive
                    a_second_create_is_refused_with_the_current_revision
                    a_deleted_key_is_not_found
                    a_second_delete_is_not_found
                    a_put_needs_no_record_and_replaces_one
                    a_long_binary_key_and_a_binary_value_read_back
                    a_malformed_key_is_refused_before_any_io
                    a_rewrite_with_the_same_value_changes_the_revision
                    every_handle_sees_what_another_wrote
                }
                ranges {
                    a_prefix_range_is_in_byte_order_without_siblings
                    both_ends_of_a_range_are_included
                    pages_that_continue_after_the_last_have_no_gap_and_no_repeat
                    descending_is_the_exact_reverse
                    one_thousand_five_hundred_and_one_items_both_ways
                    twenty_large_values_in_one_range
                    more_bytes_than_a_page_holds_are_paged
                    an_item_deleted_at_a_page_border_skips_no_neighbour
                    expired_items_take_no_place_in_a_page
                    a_deleted_range_leaves_its_neighbours_alone
                }
                keys {
                    keys_alone_are_those_of_the_whole_range_both_ways
                    keys_alone_tell_revision_and_expiry_and_leave_out_the_content
                    a_page_of_keys_holds_ten_thousand
                    long_keys_fill_a_page_of_keys
                    expired_items_take_no_place_among_keys
                    a_read_may_mix_keys_and_whole_ranges
                }
                counts {
                    a_count_is_of_the_live_keys_of_its_span
                    a_count_is_what_the_range_has
                    expired_items_are_not_counted
                    a_count_is_of_its_sequence
                }
                snapshots {
                    a_read_of_two_keys_never_shows_one_old_and_one_new
                    a_read_at_least_at_a_sequence_shows_it
                    a_read_at_least_at_a_sequence_of_no_history_is_compacted
                    a_listing_and_a_watch_from_it_miss_nothing_and_repeat_nothing
                    the_first_page_of_a_listing_is_where_its_watch_starts
                    a_read_answers_each_part_in_the_order_asked
                }
                revisions {
                    a_conditional_update_of_a_missing_key_is_not_found
                    a_conditional_update_with_a_wrong_revision_tells_the_current_one
                    chained_conditional_updates_succeed
                    a_conditional_delete_follows_the_same_rules
                    a_revision_never_comes_back
                }
                expiry {
                    an_expired_key_is_absent_for_every_operation
                    an_expired_key_is_absent_for_every_condition
                    a_create_over_an_expired_key_is_never_followed_by_its_delete
                    an_expiry_gives_one_delete_event
                    a_keep_alive_moves_the_expiry_and_leaves_the_revision
                    a_keep_alive_may_end_or_begin_an_expiry
                    a_keep_alive_of_a_missing_key_is_not_found
                    a_keep_alive_moves_several_records_at_once
                }
                clocks {
                    servers_whose_clocks_differ_agree_on_what_was_acknowledged
                }
                watch {
                    the_first_delivery_says_from_where_the_feed_is_live
                    events_carry_key_sequence_revision_and_value
                    a_watch_sees_its_span_only
                    events_are_store_wide_in_commit_order
                    a_watch_resumes_with_exactly_what_comes_after
                    a_watch_from_no_point_of_the_history_is_compacted
                    an_atomic_write_arrives_as_one_group
                    a_value_that_nobody_above_can_decode_is_delivered
                    the_event_log_is_what_watchers_saw
                }
                watchers {
                    a_slow_watcher_is_told_that_it_fell_behind_and_may_resume
                    a_watcher_that_begins_late_misses_nothing
                    close_ends_every_watch_at_once
                    a_cancelled_wait_loses_nothing
                    a_dropped_watch_leaves_the_others_alone
                }
                atomic {
                    every_condition_with_every_action
                    a_write_on_what_was_read_never_undoes_a_keep_alive
                    a_write_on_what_was_read_never_undoes_a_change_of_flags
                    racing_rewrites_and_keep_alives_leave_the_latest_expiry
                    a_malformed_write_is_refused_before_any_io
                    a_write_at_every_limit_is_accepted
                    fresh_puts_share_one_revision_and_all_share_one_sequence
                    a_replayed_move_fails_and_changes_nothing
                    a_refused_write_leaves_no_half
                }
                contention {
                    two_hundred_increments_by_twenty_workers_make_two_hundred
                    sixty_writers_that_share_a_read_only_condition_all_succeed
                    writes_that_depend_on_each_other_may_share_a_commit
                    a_refusal_that_rests_on_a_neighbour_is_true
                    a_failing_write_never_fails_its_neighbours
                }
                concurrency {
                    racing_handles_get_documented_errors_and_whole_reads
                    a_recorded_history_is_strictly_serializable_and_linearizable
                    a_history_on_one_key_is_strictly_serializable_and_linearizable
                    a_history_with_injected_faults_is_strictly_serializable
                }
                adoption {
                    old_tokens_are_compacted_after_an_adoption
                    watchers_are_told_of_an_adoption
                    another_handle_never_answers_for_the_old_history
                    a_restore_fences_every_other_handle
                }
            }
            $alone {
                compaction {
                    compaction_leaves_live_watchers_alone_and_old_tokens_behind
                    compaction_while_watchers_and_writers_run_makes_no_silent_gap
                }
            }
        }
    };
}

/// What [`suite!`] makes of its list.
#[doc(hidden)]
#[macro_export]
macro_rules! suite_cases {
    ($($open:path { $($theme:ident { $($case:ident)* })* })*) => {
        mod direct {
            #[allow(unused_imports)]
            use super::*;
            $( $( mod $theme {
                #[allow(unused_imports)]
                use super::*;
                $( $crate::suite_case!($open, Direct, $theme, $case); )*
            } )* )*
        }
        mod shim {
            #[allow(unused_imports)]
            use super::*;
            $( $( mod $theme {
                #[allow(unused_imports)]
                use super::*;
                $( $crate::suite_case!($open, Shim, $theme, $case); )*
            } )* )*
        }
    };
}

/// One test.
#[doc(hidden)]
#[macro_export]
macro_rules! suite_case {
    ($open:path, $way:ident, $theme:ident, $case:ident) => {
        #[::tokio::test(flavor = "multi_thread", worker_threads = 2)]
        async fn $case() {
            let subject = $open().await;
            $crate::run(
                stringify!($case),
                $crate::WriteStyle::$way,
                subject,
                |bench| Box::pin($crate::cases::$theme::$case(bench)),
            )
            .await;
        }
    };
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    /// A case that is not in the list would never run.
    #[test]
    fn every_case_is_in_the_list() {
        let list = include_str!("suite.rs");
        let listed: BTreeSet<_> = list.lines().map(str::trim).collect();
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/cases");
        let mut cases = 0;
        for file in std::fs::read_dir(folder).unwrap() {
            let source = std::fs::read_to_string(file.unwrap().path()).unwrap();
            for line in source.lines() {
                let Some(rest) = line.strip_prefix("pub async fn ") else {
                    continue;
                };
                let name = rest.split('(').next().unwrap();
                assert!(listed.contains(name), "{name} is not in the list");
                cases += 1;
            }
        }
        println!("{cases} cases");
        assert!(cases > 70);
    }
}
