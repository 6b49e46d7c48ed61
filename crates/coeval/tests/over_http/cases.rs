//! What makes tests of cases, the same for every API; each says with `case!` how one is run.

/// Makes tests of cases. Those under `every` run on every store, those under
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
