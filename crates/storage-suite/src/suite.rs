//! The list of cases.

/// Makes a test of every case, for the store that `open` opens: a path to an
/// `async fn() -> Box<dyn Subject>`.
#[macro_export]
macro_rules! suite {
    ($open:path) => {
        $crate::suite_cases! {
            $open;
            single {
                an_update_of_a_missing_key_is_not_found
                what_was_created_reads_back_with_its_revision
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
            revisions {
                a_conditional_update_of_a_missing_key_is_not_found
                a_conditional_update_with_a_wrong_revision_tells_the_current_one
                chained_conditional_updates_succeed
                a_conditional_delete_follows_the_same_rules
                a_revision_never_comes_back
            }
        }
    };
}

/// What [`suite!`] expands to, for a list of cases.
#[doc(hidden)]
#[macro_export]
macro_rules! suite_cases {
    ($open:path; $($theme:ident { $($case:ident)* })*) => {
        mod direct {
            #[allow(unused_imports)]
            use super::*;
            $( mod $theme {
                #[allow(unused_imports)]
                use super::*;
                $( $crate::suite_case!($open, Direct, $theme, $case); )*
            } )*
        }
        mod shim {
            #[allow(unused_imports)]
            use super::*;
            $( mod $theme {
                #[allow(unused_imports)]
                use super::*;
                $( $crate::suite_case!($open, Shim, $theme, $case); )*
            } )*
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
            $crate::run(stringify!($case), $crate::Way::$way, subject, |bench| {
                Box::pin($crate::cases::$theme::$case(bench))
            })
            .await;
        }
    };
}
