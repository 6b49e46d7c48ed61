//! How messages with a password or a token are printed: without it.

use crate::access::v1 as pb;
use std::fmt;

impl fmt::Debug for pb::CreateUserRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut told = f.debug_struct("CreateUserRequest");
        told.field("user", &self.user).finish_non_exhaustive()
    }
}

impl fmt::Debug for pb::SetPasswordRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut told = f.debug_struct("SetPasswordRequest");
        told.field("name", &self.name).finish_non_exhaustive()
    }
}

impl fmt::Debug for pb::LoginRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut told = f.debug_struct("LoginRequest");
        told.field("user", &self.user);
        told.field("namespace", &self.namespace)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for pb::LoginResponse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut told = f.debug_struct("LoginResponse");
        told.field("session", &self.session).finish_non_exhaustive()
    }
}

impl fmt::Debug for pb::CreateApiTokenResponse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut told = f.debug_struct("CreateApiTokenResponse");
        told.field("session", &self.session).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use prost_reflect::{DescriptorPool, Kind};

    #[test]
    fn no_message_prints_a_password_or_a_token() {
        let secret = || "hush".to_owned();
        let printed = [
            format!(
                "{:?}",
                pb::CreateUserRequest {
                    password: secret(),
                    ..Default::default()
                }
            ),
            format!(
                "{:?}",
                pb::SetPasswordRequest {
                    password: secret(),
                    ..Default::default()
                }
            ),
            format!(
                "{:?}",
                pb::LoginRequest {
                    password: secret(),
                    ..Default::default()
                }
            ),
            format!(
                "{:?}",
                pb::LoginResponse {
                    token: secret(),
                    ..Default::default()
                }
            ),
            format!(
                "{:?}",
                pb::CreateApiTokenResponse {
                    token: secret(),
                    ..Default::default()
                }
            ),
        ];
        for text in &printed {
            assert!(!text.contains("hush"), "{text}");
        }
        // And there is no other message with one.
        let pool = DescriptorPool::decode(crate::DESCRIPTORS).unwrap();
        let secret = |name: &str| matches!(name, "password" | "token" | "secret");
        let with = pool.all_messages().filter(|message| {
            let ours = message.full_name().starts_with("coeval.");
            let mut fields = message.fields();
            ours && fields.any(|field| field.kind() == Kind::String && secret(field.name()))
        });
        assert_eq!(with.count(), printed.len());
    }
}
