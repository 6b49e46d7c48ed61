//! Pages of what is not resources. The tokens are sealed as those of resources are: good for the
//! same caller and the same question alone.

use crate::api::GrpcState;
use coeval_api::methods::MethodError;
use coeval_engine::{Caller, DEFAULT_PAGE, LARGEST_PAGE};

/// A page that is asked for.
#[derive(Debug)]
pub(crate) struct PageRequest<'a> {
    api: &'a GrpcState,
    caller: &'a Caller,
    /// What is listed.
    of: &'static str,
    /// Which of them.
    filter: String,
    /// At most so many.
    pub(crate) size: usize,
    /// After this one.
    pub(crate) after: Option<String>,
}

impl<'a> PageRequest<'a> {
    /// Reads what a request says.
    pub(crate) async fn read(
        (api, caller): (&'a GrpcState, &'a Caller),
        of: &'static str,
        filter: &[&str],
        (size, token): (i32, &str),
    ) -> Result<Self, MethodError> {
        let size = size_of(size)?;
        // No part of a question can have this.
        let filter = filter.join("\0");
        let after = match token {
            "" => None,
            token => {
                let engine = api.methods.engine();
                Some(engine.page_position(caller, of, &filter, token).await?)
            }
        };
        Ok(Self {
            api,
            caller,
            of,
            filter,
            size,
            after,
        })
    }

    /// The token that leads on after this one.
    pub(crate) async fn token(&self, last: &str) -> Result<String, MethodError> {
        let engine = self.api.methods.engine();
        let token = engine.page_token(self.caller, self.of, &self.filter, last);
        Ok(token.await?)
    }

    /// The page of all of them, in the order of their keys, and the token that leads on.
    pub(crate) async fn cut<T>(
        &self,
        mut all: Vec<T>,
        key: impl Fn(&T) -> String,
    ) -> Result<(Vec<T>, String), MethodError> {
        all.sort_by_cached_key(&key);
        // By key, not by position: rows that were created or deleted since the page before move nothing.
        if let Some(after) = &self.after {
            all.retain(|one| key(one) > *after);
        }
        self.ended(all, key).await
    }

    /// The page of those that follow; there is more if there are more than fit.
    pub(crate) async fn ended<T>(
        &self,
        mut following: Vec<T>,
        key: impl Fn(&T) -> String,
    ) -> Result<(Vec<T>, String), MethodError> {
        let more = following.len() > self.size;
        following.truncate(self.size);
        let token = match following.last() {
            Some(last) if more => self.token(&key(last)).await?,
            _ => String::new(),
        };
        Ok((following, token))
    }
}

/// How many are asked for; 0: as many as is usual.
fn size_of(size: i32) -> Result<usize, MethodError> {
    match usize::try_from(size) {
        Ok(0) => Ok(DEFAULT_PAGE),
        Ok(size) => Ok(size.min(LARGEST_PAGE)),
        Err(_) => Err(MethodError::invalid("page_size is negative")),
    }
}
