//! The console's API over HTTP, on real server processes: all of it on SQLite, a marked third of it
//! on PostgreSQL and etcd by two servers in turns, and there the rest with `./test --long`.
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
mod bad_input;
mod events;
mod hidden;
#[path = "../over_http/hidden.rs"]
mod hidden_types;
mod identity;
mod migrations;
mod paths;
#[path = "../over_http/raw.rs"]
#[allow(dead_code, reason = "shared with the tests of the RDE API")]
mod raw;
mod releases;
mod resources;
mod revisions;
mod sessions;
#[path = "../over_http/stage.rs"]
#[allow(dead_code, reason = "shared with the tests of the RDE API")]
mod stage;
mod types;
mod visit;
mod walk;
mod watch;
#[path = "../over_http/world.rs"]
#[allow(dead_code, reason = "shared with the tests of the RDE API")]
mod world;

/// One test.
#[macro_export]
macro_rules! case {
    ($(#[$mark:meta])? $store:ident, $theme:ident, $name:ident) => {
        #[test]
        $(#[$mark])?
        fn $name() {
            $crate::$theme::$name($crate::world::World::$store());
        }
    };
}

cases! {
    paths {
        every { }
        embedded {
            both_prefixes_are_the_same_with_and_without_a_slash_at_the_end
            what_this_release_lacks_is_told_with_its_release
            the_description_is_served_to_everybody
        }
    }
    releases {
        every {
            what_is_ignored_changes_nothing_and_the_rest_is_done
        }
        embedded {
            a_parameter_that_no_release_has_is_refused_at_every_route
            a_field_that_no_release_has_is_never_dropped_silently
            tasks_are_listed_by_their_resource
            what_is_deprecated_is_listed
        }
    }
    migrations {
        every {
            a_migration_is_planned_begun_moved_and_finished
        }
        embedded {
            a_migration_is_changed_and_undone
        }
    }
    sessions {
        every {
            a_browser_logs_in_by_cookie_and_needs_its_token_to_change_anything
        }
        embedded {
            a_token_of_another_session_or_of_an_ended_one_opens_nothing
            what_another_site_makes_a_browser_send_is_refused
            a_bearer_counts_before_the_cookie_and_needs_no_token
            the_cookie_is_this_api_s_alone
            over_https_the_cookie_is_bound_to_the_host
            a_login_that_is_wrong_tells_nothing
            nobody_else_s_pages_are_told_that_they_may
        }
    }
    resources {
        every {
            a_resource_is_made_read_changed_and_deleted
            an_old_client_saves_a_new_object_and_is_told_what_was_kept
            pages_are_followed_by_token_and_by_number
        }
        embedded {
            what_is_not_said_by_a_mask_stays
            upsert_makes_what_is_missing_and_changes_what_is_there
            a_page_of_only_bad_objects_is_a_page
            a_view_says_what_it_leaves_out
            a_name_and_an_id_find_the_same_and_a_rename_needs_the_id
            grants_let_in_and_out_and_are_explained
            labels_description_and_expiry_come_back_as_they_were_sent
            secrets_are_read_by_name_and_that_is_recorded
        }
    }
    revisions {
        every {
            a_stale_revision_is_409_and_412_with_if_match
        }
        embedded {
            a_change_needs_a_revision_and_one_alone
            an_earlier_revision_is_restored
            a_resource_is_stored_at_another_version
            resources_that_a_filter_matches_are_upgraded_by_a_task
        }
    }
    watch {
        every {
            what_changes_is_told_and_a_watch_goes_on_across_a_restart
        }
        embedded {
            one_atomic_write_is_one_event_and_a_filter_tells_who_left
            a_watch_that_can_t_begin_is_refused_with_a_status
            a_server_that_stops_ends_its_watches
            who_does_not_read_takes_no_memory
        }
    }
    types {
        every {
            a_type_is_checked_registered_explained_and_deleted
        }
        embedded {
            a_version_is_annotated_retired_and_comes_back
            a_change_that_breaks_is_refused_with_its_findings
            grants_of_a_type_version_are_made_and_taken
            interfaces_and_behaviors_are_defined_and_invoked
            resources_migrate_and_the_task_tells
        }
    }
    identity {
        every {
            organizations_users_and_roles_are_made_changed_and_deleted
        }
        embedded {
            a_bundle_is_published_and_taken_back
            tokens_and_sessions_are_listed_and_ended
            what_was_done_is_told_a_page_at_a_time
            the_server_tells_of_itself_to_those_who_may_know
        }
    }
    bad_input {
        every {
            a_body_that_can_t_be_taken_as_it_is_is_refused
        }
        embedded {
            a_field_that_nobody_reads_is_refused
            bad_queries_are_refused
            bad_headers_are_refused
            a_version_that_is_none_is_refused
        }
    }
    walk {
        every { }
        embedded {
            every_route_keeps_out_who_should_not_come_in
        }
    }
    hidden {
        every { }
        embedded {
            what_is_hidden_answers_as_what_there_is_not
        }
    }
}
