//! The service of users.

use super::{name_of, org};
use crate::api::GrpcState;
use crate::call::served;
use crate::fields::{UpdateFields, needed, revision, said, text};
use crate::pages::PageRequest;
use crate::proto::access::v1 as pb;
use coeval_api::methods::MethodError;
use coeval_engine::Caller;
use coeval_engine::identity::{NewUser, Password, PasswordGiven, User, UserEdit};
use std::sync::Arc;

/// The service.
#[derive(Clone, Debug)]
pub(crate) struct UserService(pub(crate) Arc<GrpcState>);

served!(pb::user_service_server::UserService, UserService {
    create_user(pb::CreateUserRequest) -> pb::CreateUserResponse = create;
    get_user(pb::GetUserRequest) -> pb::GetUserResponse = get;
    list_users(pb::ListUsersRequest) -> pb::ListUsersResponse = list;
    update_user(pb::UpdateUserRequest) -> pb::UpdateUserResponse = update;
    delete_user(pb::DeleteUserRequest) -> () = delete;
    set_password(pb::SetPasswordRequest) -> () = set_password;
});

const FIELDS: [&str; 6] = [
    "name",
    "full_name",
    "email",
    "description",
    "disabled",
    "roles",
];

async fn create(
    api: Arc<GrpcState>,
    caller: Caller,
    asked: pb::CreateUserRequest,
) -> Result<pb::CreateUserResponse, MethodError> {
    let user = needed(asked.user, "user")?;
    let new = NewUser {
        org: org(&api, &caller, &user.namespace).await?,
        name: text(user.name, "name")?,
        full_name: said(user.full_name),
        email: said(user.email),
        description: said(user.description),
        enabled: !user.disabled,
        roles: user.roles,
        password: said(asked.password).map(given),
    };
    let made = api.methods.engine().create_user(&caller, &new).await?;
    Ok(pb::CreateUserResponse {
        user: Some(shown(&api, &caller, made).await?),
    })
}

fn given(password: String) -> PasswordGiven {
    PasswordGiven::Clear(Password::new(password))
}

/// What the engine knows a user by: an id, or its name after that of its organization.
async fn which(
    api: &GrpcState,
    caller: &Caller,
    name: &str,
    namespace: &str,
) -> Result<String, MethodError> {
    if name.is_empty() {
        return Err(MethodError::invalid("name is missing: say a name or an id"));
    }
    // An id is one in every organization. A name is looked up by the engine as `organization/name`, so
    // that it can't be another organization's by accident.
    if name.starts_with("urn:") {
        return Ok(name.to_owned());
    }
    let org = org(api, caller, namespace).await?;
    Ok(format!("{}/{name}", name_of(api, caller, &org).await?))
}

async fn get(
    api: Arc<GrpcState>,
    caller: Caller,
    asked: pb::GetUserRequest,
) -> Result<pb::GetUserResponse, MethodError> {
    let what = which(&api, &caller, &asked.name, &asked.namespace).await?;
    let found = api.methods.engine().get_user(&caller, &what).await?;
    Ok(pb::GetUserResponse {
        user: Some(shown(&api, &caller, found).await?),
    })
}

async fn list(
    api: Arc<GrpcState>,
    caller: Caller,
    asked: pb::ListUsersRequest,
) -> Result<pb::ListUsersResponse, MethodError> {
    let org = org(&api, &caller, &asked.namespace).await?;
    let page = (asked.page_size, asked.page_token.as_str());
    let page = PageRequest::read((&api, &caller), "users", &[&org], page).await?;
    // One more than fits on the page says that there is a next one.
    let mut all: Vec<User> = Vec::new();
    // Those that can't be read are left out of what is found: only an empty one is the last.
    while all.len() <= page.size {
        let last = all.last().map(|one| one.id.as_str());
        let after = last.or(page.after.as_deref());
        let engine = api.methods.engine();
        let more = engine.list_users(&caller, &org, after, page.size + 1);
        let more = more.await?;
        if more.is_empty() {
            break;
        }
        all.extend(more);
    }
    let (found, next_page_token) = page.ended(all, |one| one.id.clone()).await?;
    let mut users = Vec::with_capacity(found.len());
    for user in found {
        users.push(shown(&api, &caller, user).await?);
    }
    Ok(pb::ListUsersResponse {
        users,
        next_page_token,
    })
}

async fn update(
    api: Arc<GrpcState>,
    caller: Caller,
    asked: pb::UpdateUserRequest,
) -> Result<pb::UpdateUserResponse, MethodError> {
    let user = needed(asked.user, "user")?;
    let fields = UpdateFields::of(asked.update_mask, &user.revision, &FIELDS)?;
    let by_id = !user.id.is_empty();
    let what = if by_id {
        user.id
    } else {
        which(&api, &caller, &user.name, &user.namespace).await?
    };
    let edit = UserEdit {
        revision: revision(&user.revision),
        // By its name it stays what it is called.
        name: fields
            .when("name", user.name)
            .filter(|name| by_id && !name.is_empty()),
        full_name: fields.when("full_name", said(user.full_name)),
        email: fields.when("email", said(user.email)),
        description: fields.when("description", said(user.description)),
        enabled: fields.when("disabled", !user.disabled),
        roles: fields.when("roles", user.roles),
    };
    let engine = api.methods.engine();
    let changed = engine.update_user(&caller, &what, &edit).await?;
    Ok(pb::UpdateUserResponse {
        user: Some(shown(&api, &caller, changed).await?),
    })
}

async fn delete(
    api: Arc<GrpcState>,
    caller: Caller,
    asked: pb::DeleteUserRequest,
) -> Result<(), MethodError> {
    let what = which(&api, &caller, &asked.name, &asked.namespace).await?;
    Ok(api.methods.engine().delete_user(&caller, &what).await?)
}

async fn set_password(
    api: Arc<GrpcState>,
    caller: Caller,
    asked: pb::SetPasswordRequest,
) -> Result<(), MethodError> {
    let what = which(&api, &caller, &asked.name, &asked.namespace).await?;
    let password = given(text(asked.password, "password")?);
    let engine = api.methods.engine();
    Ok(engine.set_password(&caller, &what, &password).await?)
}

async fn shown(api: &GrpcState, caller: &Caller, user: User) -> Result<pb::User, MethodError> {
    Ok(pb::User {
        namespace: name_of(api, caller, &user.org).await?,
        id: user.id,
        name: user.name,
        full_name: user.full_name.unwrap_or_default(),
        email: user.email.unwrap_or_default(),
        description: user.description.unwrap_or_default(),
        disabled: !user.enabled,
        roles: user.roles,
        revision: user.revision.to_string(),
    })
}
