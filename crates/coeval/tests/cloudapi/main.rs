//! The RDE API over HTTP, on real server processes: all of it on SQLite, a marked third of it on
//! PostgreSQL and etcd, and there the rest with `./test --long`.
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
mod around;
mod bad_input;
mod behaviors;
mod certificates;
mod clients;
mod edge;
mod entities;
mod entity_access;
mod entity_metadata;
mod hidden;
#[path = "../over_http/hidden.rs"]
mod hidden_types;
mod interfaces;
mod invocations;
mod listings;
mod logins;
mod markup;
mod orgs;
#[path = "../over_http/raw.rs"]
mod raw;
mod rights;
mod roles;
mod slow_clients;
#[path = "../over_http/stage.rs"]
mod stage;
mod tasks;
mod tokens;
mod types;
mod walk;
#[path = "../over_http/world.rs"]
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
    clients {
        every {
            the_go_sdk_s_test_of_types_and_entities
            the_go_sdk_s_test_of_behaviors
            hooks_run_around_the_life_of_an_entity
        }
        embedded { }
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
    bad_input {
        every {
            a_body_that_is_too_large_is_refused_however_it_is_sent
            a_path_with_two_readings_is_refused
            bad_headers_are_refused_rather_than_guessed
        }
        embedded {
            json_that_can_t_be_taken_literally_is_refused
            hostile_filters_orders_and_pages_are_refused
            an_api_version_that_is_not_served_is_refused
            what_is_not_http_is_not_answered_as_if_it_were
            half_a_request_changes_nothing
            old_and_hasty_clients_are_answered_in_order
        }
    }
    slow_clients {
        every { }
        embedded {
            a_body_that_does_not_arrive_in_time_is_refused
            many_slow_clients_take_little_memory_and_nobody_elses_turn
        }
    }
    certificates {
        every {
            a_certificate_names_its_user_and_a_token_wins
        }
        embedded {
            a_user_who_is_unknown_has_no_use_of_a_certificate
        }
    }
    edge {
        every {
            a_user_who_sends_too_much_waits_and_others_do_not
        }
        embedded {
            a_parameter_that_is_not_known_is_ignored_with_a_warning
            what_is_not_there_is_told_in_the_form_of_its_api
            the_access_log_tells_who_asked_for_what_and_no_secret
            the_public_url_and_the_limits_reach_the_server
            a_session_tells_where_it_was_begun
        }
    }
    around {
        every {
            go_clients_find_their_organization_and_its_data_center
            python_clients_go_on_from_their_session
        }
        embedded {
            the_old_door_is_for_everybody_and_has_the_old_header
            the_organization_acted_for_is_named_in_three_ways
            errors_under_api_are_xml_unless_json_is_asked_for
            somebody_without_any_right_finds_their_own_organization_and_no_more
        }
    }
    orgs {
        every {
            an_organization_and_its_users_are_made_changed_and_deleted
        }
        embedded {
            tenants_neither_see_nor_touch_other_organizations
            records_are_filtered_sorted_and_paged
        }
    }
    rights {
        every {
            a_bundle_is_found_by_name_and_published
        }
        embedded {
            every_right_has_an_id_that_stays
            a_bundle_of_one_s_own_gets_rights_by_name_or_id
        }
    }
    roles {
        every {
            the_administrator_s_role_takes_any_right_and_stays_as_it_is
        }
        embedded {
            a_global_role_is_made_changed_and_deleted_and_is_there_for_all
            a_tenant_s_role_gives_no_more_than_its_maker_has
        }
    }
    tasks {
        every {
            a_task_tells_what_it_is_about_and_how_it_ended
        }
        embedded {
        }
    }
    tokens {
        every {
            a_token_opens_sessions_at_its_own_door_until_it_is_revoked
        }
        embedded {
            what_is_asked_may_stand_in_the_url_as_older_clients_have_it
            tokens_are_listed_for_their_user_alone
            nothing_is_given_for_what_is_no_grant
            a_token_that_keeps_being_wrong_has_to_wait_and_others_do_not
        }
    }
    invocations {
        every {
            a_noop_has_ended_when_its_location_is_first_read
        }
        embedded {
            what_can_not_be_invoked_is_told_with_the_code_that_clients_know
            a_behavior_of_an_interface_is_invoked_on_nothing
            a_webhook_of_a_killed_server_is_sent_again_under_the_same_key
        }
    }
    entities {
        every {
            an_entity_is_made_resolved_changed_and_deleted_as_clients_do_it
            a_stale_etag_is_412_and_a_retry_succeeds
            an_old_client_saves_a_new_object_and_is_told_what_was_kept
        }
        embedded {
            a_body_that_can_t_be_an_entity_is_refused_and_nothing_is_made
            a_provider_makes_entities_in_a_tenants_organization
            fields_are_there_from_their_api_version_on
            headers_of_the_cloud_provider_interface_are_understood
            a_null_counts_as_absent_where_the_schema_has_none
            a_resolved_entity_never_becomes_invalid
            an_entity_changes_its_version_and_only_that_of_its_own_type
            one_that_was_never_resolved_is_deleted_by_force_alone
            an_entity_goes_by_way_of_deletion
            what_is_not_there_answers_as_what_may_not_be_seen
            entities_of_a_version_migrate
            lists_are_upgraded_by_reading_and_saving_at_a_higher_version
            lists_are_downgraded_by_reading_and_saving_at_a_lower_version
            what_a_lower_version_forbids_in_items_is_kept_in_a_downgrade
            what_a_lower_version_hides_in_items_is_back_when_they_are_saved_higher
            an_old_client_edits_items_with_a_key_and_is_told_where_one_is_missing
        }
    }
    listings {
        every {
            pages_are_followed_by_links_and_by_numbers
        }
        embedded {
            a_filter_finds_by_what_clients_ask_for
            versions_cut_short_types_by_id_and_all_versions_are_listed
            an_unknown_first_level_key_is_refused_and_a_nested_one_finds_nothing
            what_can_t_be_shown_at_a_version_is_named_in_the_envelope
            a_listing_is_of_one_organization
        }
    }
    entity_access {
        every {
            a_grant_lets_somebody_in_and_its_deletion_out
        }
        embedded {
            a_grant_for_the_same_member_replaces_the_one_before
            who_is_no_member_gets_no_grant
            a_denial_says_what_is_missing_to_those_who_may_know
            restricted_fields_are_named
        }
    }
    entity_metadata {
        every {
            an_entry_is_noted_found_changed_and_deleted
        }
        embedded {
            tenants_neither_see_nor_make_the_providers_entries
            an_entry_that_can_t_be_kept_is_refused
            entries_go_with_their_entity
        }
    }
    logins {
        every {
            a_login_gives_a_token_that_works_on_every_server
        }
        embedded {
            each_door_is_for_its_own_users
        }
    }
    interfaces {
        every {
            an_interface_goes_through_its_whole_life
        }
        embedded {
            a_built_in_interface_never_changes
            interfaces_come_in_pages_in_the_order_asked_for
            what_can_be_no_interface_is_refused_with_a_reason
        }
    }
    behaviors {
        every {
            behaviors_of_an_interface_are_made_changed_and_removed
            a_type_does_a_behavior_otherwise_and_says_who_may_invoke_it
        }
        embedded {
            all_behaviors_are_replaced_at_once
            what_is_only_written_is_never_answered_and_is_kept
            container_service_extension_registers_what_it_needs
        }
    }
    types {
        every {
            a_type_goes_through_its_whole_life
            versions_posted_at_once_by_eight_clients_all_arrive
            an_older_version_is_invisible_until_it_is_synced
        }
        embedded {
            versions_without_entities_go_in_any_order_and_come_back
            a_version_that_others_are_converted_through_is_retired
            a_schema_is_answered_as_it_was_sent
            fields_belong_to_versions_of_the_api
            a_bump_that_is_too_small_is_taken_with_a_warning
            a_reference_that_leads_out_is_taken_and_never_followed
            grants_of_a_type_version_are_made_changed_and_taken
            what_can_be_no_type_is_refused_with_a_reason
            there_are_three_levels_of_access
        }
    }
}
