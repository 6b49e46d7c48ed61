//! The gRPC API, on real server processes: all of it on SQLite, a marked part of it on PostgreSQL
//! and etcd with two servers by turns, and there the rest with `./test --long`.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests"
)]

#[macro_use]
#[path = "../over_http/cases.rs"]
mod cases;
mod applied;
mod around;
mod bad_input;
mod calls;
mod creating;
mod dynamic;
mod hidden;
#[allow(dead_code, reason = "what the tests of the other APIs use too")]
#[path = "../over_http/hidden.rs"]
mod hidden_types;
mod identity;
mod listing;
mod masks;
mod migrations;
mod naming;
mod packages;
mod raw;
mod releases;
mod revisions;
#[allow(dead_code, reason = "what the tests of the other API use too")]
#[path = "../over_http/stage.rs"]
mod stage;
mod tasks;
mod typed;
mod types;
mod updating;
mod upserting;
mod versions;
mod walk;
mod walk_moves;
mod walk_people;
mod walk_table;
mod watching;
#[allow(dead_code, reason = "what the tests of the other API use too")]
#[path = "../over_http/world.rs"]
mod world;

/// One test.
#[macro_export]
macro_rules! case {
    ($(#[$mark:meta])? $store:ident, $theme:ident, $name:ident) => {
        #[test]
        $(#[$mark])?
        fn $name() {
            $crate::calls::run($crate::$theme::$name, $crate::world::World::$store());
        }
    };
}

cases! {
    watching {
        every {
            a_watch_tells_each_change_once_and_resumes_from_its_sequence
            a_watch_ends_with_the_session_that_it_was_opened_with
        }
        embedded {
            what_no_longer_matches_is_told_as_left
            a_sequence_of_nowhere_is_refused
        }
    }
    releases {
        every {
            tasks_are_listed_by_their_resource_page_by_page
        }
        embedded {
            a_field_that_no_release_has_is_refused_by_every_method
            a_field_inside_of_a_request_is_refused_by_its_path
            a_typed_service_refuses_what_it_does_not_know_around_the_content
            the_release_is_told_to_everybody_and_deprecations_to_users
        }
    }
    creating {
        every {
            create_answers_what_the_server_filled_in
            a_name_is_made_once_through_whichever_api
        }
        embedded {
            the_content_is_kept_as_it_was_sent
            a_content_that_can_t_be_taken_literally_is_refused
            what_is_missing_or_does_not_belong_is_refused_and_nothing_is_made
            a_resource_vanishes_when_it_expires
            a_hook_s_task_is_in_the_answer
        }
    }
    naming {
        every {
            what_is_not_there_is_not_found_by_any_method
        }
        embedded {
            a_name_that_fits_several_is_refused_with_their_ids
            namesakes_that_may_not_be_seen_make_no_name_ambiguous
            namespaces_are_one_s_own_or_the_provider_s_to_name
            a_kind_of_two_types_is_refused_until_it_is_said_in_full
        }
    }
    updating {
        every {
            an_update_needs_a_revision_or_a_mask_and_a_stale_one_is_aborted
            delete_answers_nothing_and_is_conditional_on_a_revision
        }
        embedded {
            status_is_written_by_its_own_method
            a_state_that_forbids_it_is_a_failed_precondition
            what_cloudapi_can_t_say_it_leaves_alone
        }
    }
    masks {
        every {
            a_mask_changes_its_fields_and_no_others
        }
        embedded {
            a_mask_of_an_old_client_leaves_newer_fields_alone
            null_is_a_value_or_absent_as_the_schema_says
            a_mask_that_leads_nowhere_is_refused
        }
    }
    revisions {
        every {
            a_kept_revision_is_listed_and_written_again
        }
        embedded {
            what_can_t_be_restored_is_refused_and_nothing_changes
        }
    }
    applied {
        every {
            what_a_file_declared_stays_until_a_file_declares_again
        }
        embedded {
            who_may_only_read_is_not_told_what_was_declared
            what_is_declared_has_limits
        }
    }
    upserting {
        every {
            many_who_upsert_at_once_lose_nothing
        }
        embedded {
            upsert_makes_and_changes
        }
    }
    versions {
        every {
            an_old_body_keeps_what_it_can_t_say
            three_clients_of_three_versions_save_in_every_order
        }
        embedded {
            a_downgraded_body_is_the_edit_of_a_view
            a_server_that_knows_less_shows_less_and_overwrites_nothing
            a_higher_minor_is_stored_with_full_control_alone
            a_body_of_a_higher_major_is_put_onto_what_is_stored
            what_no_save_does_an_upgrade_does
            resources_that_a_filter_matches_are_upgraded_by_a_task
            what_went_with_a_deleted_item_is_told
            metadata_says_which_versions_are_understood
            a_reader_sees_its_own_writes
            a_view_says_what_it_leaves_out
        }
    }
    listing {
        every {
            pages_lead_through_all_and_their_tokens_are_bound
        }
        embedded {
            a_page_is_cut_by_count_and_by_bytes
            a_page_of_bad_objects_alone_still_moves_on
            filters_and_orders_find_sort_and_tell_where_they_are_wrong
            a_filter_names_what_some_version_declares
            a_filter_knows_nothing_of_a_hidden_version
        }
    }
    identity {
        every {
            logging_in_and_out_and_tokens_for_programs
        }
        embedded {
            organizations_users_roles_and_bundles_go_through_their_lives
            grants_let_in_and_out_and_are_explained
            secrets_are_in_no_log
        }
    }
    types {
        every {
            a_type_version_is_checked_registered_changed_and_deleted
        }
        embedded {
            a_version_is_annotated_and_retired
            interfaces_go_through_their_lives
            grants_of_a_type_version_are_made_and_taken
        }
    }
    tasks {
        every {
            resources_are_migrated_by_a_task_that_can_be_watched
        }
        embedded {
            tasks_come_in_pages_and_are_ended_once
        }
    }
    migrations {
        every {
            a_type_moves_through_all_phases_while_it_is_used
            a_migration_that_is_undone_leaves_nothing
        }
        embedded {
            what_holds_a_migration_is_told_with_its_code
        }
    }
    walk {
        every { }
        embedded {
            every_method_keeps_out_who_should_not_come_in
        }
    }
    hidden {
        every { }
        embedded {
            what_is_hidden_answers_as_what_there_is_not
            watches_at_a_hidden_version_tell_nothing_of_it
            a_package_describes_the_newest_version_that_is_seen
        }
    }
    bad_input {
        every { }
        embedded {
            whatever_bytes_come_a_coded_status_goes
            hostile_messages_are_refused_with_a_code
        }
    }
    typed {
        every {
            a_type_gives_a_service_that_reflection_tells_of
            many_who_upsert_or_mask_at_once_lose_nothing
        }
        embedded {
            an_update_keeps_what_the_message_can_t_say
            a_mask_changes_its_fields_and_no_others
        }
    }
    packages {
        every { }
        embedded {
            a_new_minor_extends_the_package_without_a_restart
            what_is_not_of_the_package_is_refused
            a_type_is_there_only_for_those_who_see_it
            our_proto_files_are_given_to_everybody
            a_watch_tells_in_the_package_s_messages
        }
    }
    around {
        every { }
        embedded {
            a_deadline_holds_on_the_server_too
            what_can_t_be_read_is_refused_with_a_code
            health_says_what_readyz_says
        }
    }
}
