//! The RDE API over HTTP, on real server processes: all of it on SQLite, a marked third of it on
//! PostgreSQL and etcd, and there the rest with `./test --long`.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests"
)]

mod logins;
mod world;

/// Makes tests of cases, each an `fn(World)`. Those under `every` run on every store, those under
/// `embedded` on SQLite, and elsewhere with `./test --long`.
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
        #[test]
        $(#[$mark])?
        fn $name() {
            $crate::$theme::$name($crate::world::World::$store());
        }
    };
}

cases! {
    logins {
        every {
            a_login_gives_a_token_that_works_on_every_server
        }
        embedded {
            each_door_is_for_its_own_users
        }
    }
}
