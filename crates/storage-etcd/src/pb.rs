//! etcd's messages, generated from `proto/etcd.proto`.
#![allow(
    clippy::all,
    clippy::pedantic,
    clippy::unwrap_used,
    clippy::needless_pass_by_value,
    clippy::uninlined_format_args,
    clippy::semicolon_if_nothing_returned,
    missing_debug_implementations,
    unreachable_pub,
    rust_2018_idioms
)]

tonic::include_proto!("etcdserverpb");
