//! The engine on real stores: all of it on SQLite, a marked third of it on PostgreSQL and etcd, and
//! there the rest with `./test --long`.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests"
)]

mod faults;
mod model;
mod replays;
mod resources;
mod secrets;
mod servers;
mod types;
mod upkeep;
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
    faults {
        every {}
        embedded { every_step_of_every_write_may_fail }
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
    upkeep {
        every { an_expired_resource_goes_with_all_that_belongs_to_it }
        embedded {
            an_earlier_revision_can_be_brought_back
            an_inspection_finds_what_is_wrong_and_repairs_what_it_can
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
        }
        embedded {
            an_update_of_what_is_not_there_is_not_found
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
            a_denial_is_explained_to_those_who_may_know
            a_bump_that_is_too_small_is_refused_with_a_witness
        }
    }
}
