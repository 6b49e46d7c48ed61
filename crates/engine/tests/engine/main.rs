//! The engine on real stores: all of it on SQLite, a marked third of it on PostgreSQL and etcd, and
//! there the rest with `./test --long`.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests"
)]

mod annotations;
mod definitions;
mod entries;
mod faults;
mod fitting;
mod hidden;
mod hidden_kept;
mod hooks;
mod hooks_cut_short;
mod identity;
mod invocations;
mod jobs;
mod lists;
mod logins;
mod meddling;
mod migrations;
mod migrations_access;
mod migrations_hurt;
mod migrations_raced;
mod migrations_reader;
mod model;
mod numbered;
mod own_kinds;
mod programs;
mod publishing;
mod replays;
mod resources;
mod retiring;
mod runners;
mod secrets;
mod servers;
mod typed;
mod types;
mod upgrades;
mod upkeep;
mod wanted;
mod watch_history;
mod watch_rights;
mod watching;
mod world;

/// Makes tests of cases, each an `async fn(World)`. Those under `every` run on every store, those
/// under `embedded` on SQLite, and elsewhere with `./test --long`.
macro_rules! cases {
    ($($theme:ident { every { $($every:ident)* } embedded { $($embedded:ident)* } })*) => {
        mod sqlite {
            $( mod $theme { $( $crate::case!(sqlite, $theme, $every); )* $( $crate::case!(sqlite, $theme, $embedded); )* } )*
        }
        mod postgres {
            $( mod $theme { $( $crate::case!(postgres, $theme, $every); )* $( $crate::case!(#[ignore = "runs with ./test --long"] postgres, $theme, $embedded); )* } )*
        }
        mod etcd {
            $( mod $theme { $( $crate::case!(etcd, $theme, $every); )* $( $crate::case!(#[ignore = "runs with ./test --long"] etcd, $theme, $embedded); )* } )*
        }
    };
}

/// One test.
#[macro_export]
macro_rules! case {
    ($(#[$mark:meta])? $store:ident, $theme:ident, $name:ident) => {
        #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
        $(#[$mark])?
        async fn $name() {
            let world = $crate::world::World::$store().await;
            $crate::$theme::$name(world).await;
        }
    };
}

cases! {
    annotations {
        every { annotations_change_while_there_are_resources }
        embedded {
            annotations_are_of_one_registration
            who_may_not_edit_a_version_may_not_annotate_it
        }
    }
    retiring {
        every {
            a_retired_version_is_a_link_that_nobody_sees
            creators_and_a_retirement_never_both_succeed
        }
        embedded {
            a_retired_version_comes_back_only_as_it_was
            what_nothing_is_converted_through_goes_without_a_trace
            a_link_waits_for_servers_that_know_none
            a_refused_retirement_leaves_all_as_it_was
        }
    }
    definitions {
        every {
            a_type_in_use_may_do_a_behavior_otherwise
            a_reference_that_leads_out_is_a_finding_or_refused
        }
        embedded {
            in_an_interface_in_use_only_executions_change
            an_edit_keeps_what_is_noted_beside_the_definition
            a_catalog_shows_what_its_reader_may_see
            what_is_built_in_stays_and_its_vendor_is_free
            a_mark_that_comes_later_holds_at_older_versions_too
        }
    }
    programs {
        every {
            an_announced_token_gets_its_secret_once
            a_session_ends_with_the_token_that_opened_it
        }
        embedded {
            a_token_is_refused_at_another_s_door_and_that_is_not_counted
            a_wrong_token_waits_and_holds_nobody_else_up
            an_announced_token_waits_an_hour_for_somebody_to_ask
            the_rights_there_are_depend_on_where_one_acts
            a_bundle_published_to_some_only_is_taken_from_all_others
            an_organization_to_act_for_may_be_named
        }
    }
    entries {
        every {
            entries_expire_with_their_resource
        }
        embedded {
            entries_made_at_once_all_arrive
            entries_of_nobody_are_found_by_an_inspection
            force_deletes_what_was_never_resolved_and_calls_its_creation_off
            a_version_changes_without_a_content_and_back
        }
    }
    hidden {
        every {}
        embedded {
            a_hidden_version_reads_and_writes_as_an_unknown_one
            a_watch_at_a_hidden_version_tells_what_one_at_an_unknown_tells
            answers_name_only_what_visible_versions_declare
            refusals_speak_of_the_next_version_that_is_seen
            a_create_names_no_field_of_a_hidden_version
            the_audit_names_no_hidden_version
            of_a_hidden_type_there_is_nothing
        }
    }
    hidden_kept {
        every {
            a_view_at_the_stored_version_lists_what_is_kept_for_higher_ones
        }
        embedded {
            what_no_step_names_is_listed_in_between_too
            a_view_in_between_that_shows_all_is_not_marked
            what_refines_a_value_marks_the_view_and_has_no_place_of_its_own
            a_lower_version_that_something_is_kept_for_marks_nothing
            what_is_kept_for_a_hidden_version_is_not_told
            what_somebody_may_not_see_does_not_mark_its_view
            what_is_kept_with_the_secrets_marks_the_view_too
            a_strict_type_stays_writable_at_its_stored_version
        }
    }
    fitting {
        every {
            what_does_not_fit_is_refused_or_quarantined
            a_create_is_as_strict_as_an_update
        }
        embedded {
            what_is_not_proven_is_looked_at_before_and_after_that_is_found_out
            readers_who_tolerate_values_are_shown_and_may_return_them
            a_save_that_returns_a_tolerated_value_moves_nothing
            a_body_is_held_to_its_own_version
            a_body_that_breaks_its_own_version_is_told_so_in_its_terms
            a_write_warns_if_what_is_kept_no_longer_fits
            a_field_that_was_stored_before_its_name_was_taken_stays_writable
            undeclared_fields_are_warned_of_or_refused
        }
    }
    faults {
        every {}
        embedded { every_step_of_every_write_may_fail }
    }
    hooks {
        every {
            after_post_create_it_is_resolved_or_not
        }
        embedded {
            without_hooks_all_is_as_ever
            post_update_runs_after_the_change_and_leaves_it
            a_restore_is_an_update_and_runs_post_update
            pre_delete_comes_before_the_mark
            a_change_during_a_hook_is_a_conflict_if_a_revision_was_named
            a_deletion_goes_as_far_as_its_hooks_let_it
            leaving_hooks_out_takes_full_control_of_the_type
            a_hook_that_can_not_run_is_refused_before_anything_is_done
            noop_hooks_succeed_and_fail_as_they_are_told
            resolving_by_hand_does_not_end_the_hook
        }
    }
    hooks_cut_short {
        every { what_a_dead_server_leaves_is_finished_once }
        embedded { every_write_of_a_hooks_task_may_fail }
    }
    invocations {
        every {
            noop_has_ended_when_it_is_first_looked_at
            a_task_left_behind_is_done_again_under_the_same_name
        }
        embedded {
            an_override_runs_whichever_id_is_named
            who_may_invoke_is_decided_by_the_type_and_the_level
            what_can_not_be_invoked_is_refused_and_leaves_no_task
            a_behavior_that_takes_time_is_a_task
            a_slow_behavior_can_be_canceled
            a_behavior_of_an_interface_alone_is_the_providers
        }
    }
    meddling {
        every { an_update_does_not_take_back_a_keep_alive }
        embedded {
            a_write_under_way_meets_the_type_as_it_is_now
            a_newer_edit_is_met_and_not_written_over
        }
    }
    migrations {
        every {
            every_phase_reads_writes_lists_and_deletes
            no_update_is_lost_while_phases_go_forward_and_back
            majors_are_passed_one_after_the_other
        }
        embedded {
            undone_from_every_phase_nothing_is_lost
            what_can_not_be_converted_holds_soak_and_is_named
            a_server_of_the_release_before_holds_it_back_or_is_fenced
            what_heartbeats_is_migrated_by_its_heartbeat
            it_goes_by_itself_as_far_as_was_said
            what_was_copied_is_counted_over_all_epochs
            watchers_see_no_copies
            a_change_of_meaning_is_left_alone_unless_it_is_named
            a_migration_is_a_resource
        }
    }
    migrations_access {
        every { cutover_waits_for_those_who_see_only_the_old_major }
        embedded {
            who_sees_either_major_sees_the_pair_in_every_phase
            a_hidden_minor_that_resources_get_counts_as_no_access
            what_goes_by_itself_waits_for_access
            a_phase_of_the_environment_waits_for_access
            who_sees_only_the_old_major_is_told_of_what_cutover_makes_and_ends
        }
    }
    migrations_hurt {
        every {}
        embedded {
            random_workloads_are_undone_with_nothing_lost
            every_write_of_a_migration_may_fail_before
            every_write_of_a_migration_may_fail_after
            every_write_of_a_migration_may_be_of_unknown_outcome
            secrets_move_along_and_back
            what_happens_while_the_background_works_is_not_undone
        }
    }
    migrations_raced {
        every {
            a_step_that_many_ask_for_is_one_step
            a_resource_that_expires_takes_its_old_record_along
        }
        embedded {
            a_note_that_all_was_visited_is_of_its_own_epoch
            a_mirror_that_expires_after_its_resource_takes_nothing_along
            what_failed_in_one_migration_does_not_hold_the_next
        }
    }
    migrations_reader {
        every {
            a_server_without_the_new_major_reads_on_up_to_soak
        }
        embedded {
            after_a_return_from_cutover_it_reads_once_all_is_copied_back
            a_watch_that_missed_a_write_at_cutover_ends_though_all_is_copied_back
            an_acl_change_at_soak_is_told_through_a_server_that_only_reads
            a_body_of_the_new_major_is_carried_in_every_phase_or_refused
        }
    }
    own_kinds {
        every {
            a_version_of_an_own_kind_is_stored_once_every_server_knows_it
            a_level_of_records_is_written_once_every_server_reads_it
        }
        embedded {
            own_kinds_move_to_their_next_major_phase_by_phase
            own_kinds_are_moved_at_start_too
            a_server_that_is_told_to_know_less_keeps_the_way_back_open
        }
    }
    numbered {
        every {}
        embedded { what_is_remembered_of_numbered_pages_never_shows }
    }
    model {
        every { a_random_history_agrees_with_the_model }
        embedded {}
    }
    replays {
        every { kubernetes_46073_servers_of_two_releases_on_one_store }
        embedded {
            kubernetes_111703_a_patch_through_an_older_version
            kubernetes_34508_clients_of_three_releases_save_in_turn
            teleport_69406_a_role_is_saved_by_a_client_that_does_not_see_its_filter
            pgroll_a_down_that_invents_what_up_forgot
            cambria_head_and_remove_forget
            cloud_director_csi_driver_148_one_components_save_wipes_anothers_status
        }
    }
    servers {
        every { no_update_is_lost_between_two_engines }
        embedded {}
    }
    secrets {
        every { a_secure_field_is_encrypted_and_kept_by_those_who_do_not_see_it }
        embedded {
            without_a_key_a_secure_field_is_refused
            a_rotation_seals_everything_by_the_new_key
        }
    }
    upgrades {
        every {
            what_matches_is_upgraded_whatever_its_version
            others_resources_are_neither_touched_nor_told_of
        }
        embedded {
            what_is_not_seen_is_not_found_by_its_content
            the_version_is_decided_when_it_is_asked_for
            hidden_versions_are_not_there_for_it
            the_view_of_a_client_release_is_kept_with_the_task
        }
    }
    upkeep {
        every { an_expired_resource_goes_with_all_that_belongs_to_it }
        embedded {
            an_earlier_revision_can_be_brought_back
            an_inspection_finds_what_is_wrong_and_repairs_what_it_can
            a_definition_that_can_not_be_read_hides_no_other
            what_was_done_is_kept_for_ninety_days
        }
    }
    wanted {
        every {}
        embedded {
            a_clients_release_tells_what_it_understands
            a_restricted_view_is_shown_with_its_reason_and_not_written_back
            a_strict_type_takes_edits_at_its_own_version_alone
            force_over_an_unknown_version_keeps_the_record_whole
        }
    }
    watch_history {
        every { no_gap_no_duplicate_and_in_order }
        embedded {}
    }
    watch_rights {
        every {
            what_an_acl_gives_comes_and_what_it_takes_leaves
            with_a_role_all_leaves_and_comes_back
            what_is_made_after_the_rights_were_lost_is_never_named
            a_deletion_is_told_to_whom_was_let_in_at_the_last_moment
            an_expiry_is_told_to_whom_an_acl_had_let_in
            a_watch_ends_with_its_credentials
            a_point_that_is_not_in_the_history_is_refused_with_the_reason
        }
        embedded {
            what_was_given_and_taken_is_told_the_same_when_it_is_resumed
            a_watch_ends_when_its_session_expires
            an_acl_with_an_expiry_loses_it_when_its_resource_is_kept_alive
            resuming_over_a_change_of_rights_asks_for_a_new_list
            what_no_longer_matches_leaves
            who_gives_a_resource_away_is_told_that_it_left
            a_bad_object_is_told_to_those_who_may_see_it
        }
    }
    watching {
        every {
            each_watcher_sees_its_version_in_order
            a_watch_goes_on_across_a_new_version_of_the_type
        }
        embedded { a_deletion_is_told_to_whom_an_acl_had_let_in }
    }
    resources {
        every {
            a_created_resource_reads_back_as_it_was_sent
            an_old_client_changes_what_its_version_expresses_and_nothing_else
            a_stale_revision_is_a_conflict_that_says_where_it_differs
            a_deleted_resource_leaves_nothing_behind
            a_name_belongs_to_one_resource_of_an_organization
            an_upsert_makes_or_changes
        }
        embedded {
            the_state_follows_the_content
            an_update_of_what_is_not_there_is_not_found
            long_names_that_begin_the_same_are_different
        }
    }
    types {
        every {
            creators_and_an_editor_never_both_succeed
            versions_registered_at_the_same_time_all_arrive
        }
        embedded {
            a_version_with_resources_is_immutable
            a_stored_resource_that_breaks_a_law_refuses_a_version
            an_interface_in_use_stays
            an_undecided_change_is_accepted_by_name
            a_denial_is_explained_to_those_who_may_know
            a_bump_that_is_too_small_is_refused_with_a_witness
        }
    }
    typed {
        every {
            a_registered_type_has_a_package_at_once_on_every_server
            versions_registered_at_once_share_no_number
        }
        embedded {
            numbers_outlive_edits_versions_and_the_type
            a_package_belongs_to_the_type_that_was_first
            what_a_package_cant_say_is_found_at_registration
            a_type_of_an_earlier_release_gets_its_numbers_when_it_is_asked_for
            numbers_that_cant_be_read_are_told_and_never_made_anew
        }
    }
    identity {
        every {
            several_servers_open_one_store_and_nothing_is_there_twice
            a_role_is_never_deleted_while_somebody_gets_it
            two_bootstraps_at_once_make_everything_once_and_overwrite_nothing
        }
        embedded {
            own_kinds_are_read_like_others_and_written_only_by_their_methods
            a_name_is_unique_within_its_organization_and_keeps_its_case
            an_organization_is_deleted_only_when_it_is_empty
            predefined_roles_never_change_and_one_in_use_stays
            nobody_gives_or_takes_hold_of_more_than_one_has
        }
    }
    publishing {
        every {
            a_publication_that_was_cut_short_is_finished_by_whoever_opens_next
        }
        embedded {
            a_types_bundle_comes_with_its_first_version_and_goes_with_its_last
            publishing_shows_every_version_and_unpublishing_hides_what_nobody_else_brings
        }
    }
    logins {
        every {
            a_change_on_one_server_is_seen_by_the_next_request_on_another
            after_some_failures_the_next_login_waits_on_every_server
        }
        embedded {
            whatever_is_wrong_with_a_login_the_answer_is_the_same
            an_authenticated_request_costs_one_read
            a_request_for_one_resource_costs_one_read_and_writes_what_is_there_now
            sessions_and_tokens_are_listed_without_secrets_and_revoked
            a_new_password_ends_sessions_even_if_the_server_dies_right_after
            a_session_ends_by_itself
            a_user_whom_somebody_vouches_for_needs_no_session
            only_the_provider_acts_for_another_organization
            no_secret_is_stored_where_it_could_be_read
        }
    }
    jobs {
        every {
            a_migration_moves_what_fits_and_says_what_does_not
            writers_lose_nothing_to_a_migration
        }
        embedded {
            a_migrated_resource_goes_back_with_nothing_lost
            what_is_written_meanwhile_is_moved_without_a_rest
            a_migration_touches_what_the_caller_may_move
            a_target_that_changes_a_meaning_must_be_named
        }
    }
    runners {
        every {
            two_runners_move_every_resource_once
            a_runner_whose_claim_was_taken_writes_nothing_any_more
        }
        embedded {
            an_abandoned_task_goes_on_from_its_last_batch
            a_runner_that_stops_gives_its_tasks_back
            a_canceled_task_does_no_further_batch
        }
    }
    lists {
        every {
            pages_by_token_and_by_number_have_every_resource_once
            what_stays_is_on_exactly_one_page_whatever_comes_and_goes
            a_token_of_one_server_is_good_at_another
            one_bad_object_never_hides_another
        }
        embedded {
            thousands_of_resources_are_paged_without_gap_or_repeat
            a_version_cut_short_lists_all_that_begin_so
            a_token_is_refused_for_another_caller_filter_order_or_version
            names_longer_than_an_index_holds_are_in_order
            large_contents_end_a_page_early
            who_may_not_see_an_object_is_not_told_that_it_is_bad
            a_restricted_user_is_shown_what_it_owns_and_what_is_granted
            each_is_shown_at_the_wanted_version_or_quarantined
            an_interface_lists_all_types_that_implement_it
            an_index_never_hides_a_match_nor_adds_one
            a_listing_is_sorted_by_what_the_caller_sees
            a_slip_in_any_name_of_a_path_is_told_with_the_path_that_was_meant
        }
    }
}
