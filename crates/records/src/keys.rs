//! Where things are kept. Each kind of thing has its own first letter, so that no two collide and
//! a range holds one kind.
//!
//! | of | letters |
//! |---|---|
//! | resources | `e` records, `a` ACLs, `s` secrets, `h` histories, `m` entries, `x` indexes, `n` counts of names |
//! | types | `t` versions, `r` annotations, `p` phases, `f` field numbers, `v` packages, `j` interfaces |
//! | migrations | `b` background work, `l` failed resources, `d` changes with each of those |
//! | tasks | `k` all, `g` open ones, `c` slots |
//! | people | `w` passwords, `z` sessions and tokens, `y` whose they are, `q` failed logins |
//! | the store | `u` audit, `i` servers, `o` what there is once |
//!
//! - Keys are stored data: once a release has written one, its form stays.
//! - Parts that come from outside are escaped, so no value can have a separator in it. Long ones are
//!   cut and end in a hash, so a key can be looked up by any value but not always read back.
//! - What belongs to a resource has its id as the second part and not the type: it is found, and
//!   removed, by the id alone.
//! - Who scans keys goes by the first letter, as a watch does with events; a new kind needs its own.

use coeval_core::version::{Uuid, Version};
use coeval_storage::key::{escape_ordered, escape_part};
use coeval_storage::{Key, KeySpan, StorageError};
use std::fmt;
use std::sync::Arc;

/// A type without a version, owned: `acme:app`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TypeKey {
    /// Who defines it.
    pub vendor: Arc<str>,
    /// What it is.
    pub nss: Arc<str>,
}

impl TypeKey {
    /// From its two names, which have been checked.
    #[must_use]
    pub fn new(vendor: &str, nss: &str) -> Self {
        Self {
            vendor: vendor.into(),
            nss: nss.into(),
        }
    }

    /// Reads `acme:app`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (vendor, nss) = text.split_once(':')?;
        let name = |text| coeval_core::version::UrnName::parse(text).ok();
        Some(Self::new(name(vendor)?.as_str(), name(nss)?.as_str()))
    }
}

impl fmt::Display for TypeKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.vendor, self.nss)
    }
}

fn key(parts: &[&[u8]]) -> Result<Key, StorageError> {
    Key::new(parts.join(&b'/'))
}

/// The part of a key that a vendor or nss makes. Both are of letters that need no escape, except
/// that keys are to be read by people and `-` sorts below `0`.
fn name(text: &str) -> Vec<u8> {
    escape_part(text.as_bytes())
}

fn of_type(first: &[u8], of: &TypeKey, rest: &[&[u8]]) -> Result<Key, StorageError> {
    let (vendor, nss) = (name(&of.vendor), name(&of.nss));
    let mut parts: Vec<&[u8]> = vec![first, &vendor, &nss];
    parts.extend_from_slice(rest);
    key(&parts)
}

/// The definition of one version of a type.
pub fn type_version(of: &TypeKey, version: Version) -> Result<Key, StorageError> {
    of_type(b"t", of, &[version.to_string().as_bytes()])
}

/// All definitions of a type.
pub fn type_versions(of: &TypeKey) -> Result<KeySpan, StorageError> {
    Ok(KeySpan::below(&of_type(b"t", of, &[])?))
}

/// What is annotated on one version of a type: its deprecation and its columns. Not part of the
/// definition's record, which a release that knows nothing of them would write without them.
pub fn annotations(of: &TypeKey, version: Version) -> Result<Key, StorageError> {
    of_type(b"r", of, &[version.to_string().as_bytes()])
}

/// The same of all versions of a type.
pub fn all_annotations(of: &TypeKey) -> Result<KeySpan, StorageError> {
    Ok(KeySpan::below(&of_type(b"r", of, &[])?))
}

/// All phase records: one for each type.
pub fn all_phases() -> Result<KeySpan, StorageError> {
    Ok(KeySpan::below(&key(&[b"p"])?))
}

/// The phase record of a type. Every write to the type is conditioned on its revision, and every
/// change of a definition rewrites it, so the revision also says which definitions hold.
pub fn phase(of: &TypeKey) -> Result<Key, StorageError> {
    of_type(b"p", of, &[])
}

/// Reads the type that a phase record belongs to.
pub fn type_of_phase(key: &Key) -> Option<TypeKey> {
    let mut parts = key.as_bytes().split(|byte| *byte == b'/');
    if parts.next() != Some(b"p") {
        return None;
    }
    let (vendor, nss) = (unescape(parts.next()?)?, unescape(parts.next()?)?);
    parts.next().is_none().then(|| TypeKey::new(&vendor, &nss))
}

/// The numbers of a type's fields in protobuf, at one major. It stays when the type goes.
pub fn ledger(of: &TypeKey, major: u32) -> Result<Key, StorageError> {
    of_type(b"f", of, &[format!("v{major}").as_bytes()])
}

/// The same of all majors.
pub fn ledgers(of: &TypeKey) -> Result<KeySpan, StorageError> {
    Ok(KeySpan::below(&of_type(b"f", of, &[])?))
}

/// The same of all types.
pub fn all_ledgers() -> Result<KeySpan, StorageError> {
    Ok(KeySpan::below(&key(&[b"f"])?))
}

/// The major that numbers are of.
pub fn major_of_ledger(key: &Key) -> Option<u32> {
    let last = key.as_bytes().rsplit(|byte| *byte == b'/').next()?;
    std::str::from_utf8(last)
        .ok()?
        .strip_prefix('v')?
        .parse()
        .ok()
}

/// Which type has the name of a package, without a major. It stays when the type goes.
pub fn package(base: &str) -> Result<Key, StorageError> {
    key(&[b"v", &name(base)])
}

/// A definition of an interface version.
pub fn interface(vendor: &str, nss: &str, version: Version) -> Result<Key, StorageError> {
    let of = TypeKey::new(vendor, nss);
    of_type(b"j", &of, &[version.to_string().as_bytes()])
}

/// All interfaces.
pub fn interfaces() -> Result<KeySpan, StorageError> {
    Ok(KeySpan::below(&key(&[b"j"])?))
}

/// A resource.
pub fn record(of: &TypeKey, major: u32, id: Uuid) -> Result<Key, StorageError> {
    let major = format!("v{major}");
    of_type(b"e", of, &[major.as_bytes(), id.to_string().as_bytes()])
}

/// All resources of a type at a major.
pub fn records_of_major(of: &TypeKey, major: u32) -> Result<KeySpan, StorageError> {
    let major = format!("v{major}");
    Ok(KeySpan::below(&of_type(b"e", of, &[major.as_bytes()])?))
}

/// All resources.
pub fn all_records() -> Result<KeySpan, StorageError> {
    Ok(KeySpan::below(&key(&[b"e"])?))
}

/// The type that a record is of, by its key.
pub fn type_of_record(key: &Key) -> Option<TypeKey> {
    let mut parts = key.as_bytes().split(|byte| *byte == b'/').skip(1);
    let (vendor, nss) = (unescape(parts.next()?)?, unescape(parts.next()?)?);
    Some(TypeKey::new(&vendor, &nss))
}

/// All resources of a type.
pub fn records(of: &TypeKey) -> Result<KeySpan, StorageError> {
    Ok(KeySpan::below(&of_type(b"e", of, &[])?))
}

/// Reads the key of a resource.
pub fn read_record(key: &Key) -> Option<(TypeKey, u32, Uuid)> {
    let text = std::str::from_utf8(key.as_bytes()).ok()?;
    let mut parts = text.split('/');
    if parts.next() != Some("e") {
        return None;
    }
    let vendor = unescape(parts.next()?.as_bytes())?;
    let nss = unescape(parts.next()?.as_bytes())?;
    let major = parts.next()?.strip_prefix('v')?.parse().ok()?;
    let id = Uuid::parse(parts.next()?)?;
    parts
        .next()
        .is_none()
        .then(|| (TypeKey::new(&vendor, &nss), major, id))
}

/// The indexes that every type has.
pub mod index {
    /// By name.
    pub const NAME: &str = "name";
    /// By owner.
    pub const OWNER: &str = "owner";
    /// By state.
    pub const STATE: &str = "state";
    /// By an id that some other system gave it.
    pub const EXTERNAL_ID: &str = "externalId";
    /// By one label, `key=value`.
    pub const LABEL: &str = "label";
    /// By type version; the version comes before the organization here.
    pub const VERSION: &str = "version";
    /// In front of the name of an index that the type declares.
    pub const DECLARED: &str = "f.";
}

/// An entry of an index: the organization, the value's bytes, the resource.
pub fn index_entry(
    of: &TypeKey,
    index: &str,
    org: &str,
    value: &[u8],
    id: Uuid,
) -> Result<Key, StorageError> {
    // An index is read in the order of its values, so the escapes have to keep that order.
    let (index, org, value) = (
        name(index),
        escape_ordered(org.as_bytes()),
        escape_ordered(value),
    );
    of_type(b"x", of, &[&index, &org, &value, id.to_string().as_bytes()])
}

/// The entries of one value of an index.
pub fn index_point(
    of: &TypeKey,
    index: &str,
    org: &str,
    value: &[u8],
) -> Result<KeySpan, StorageError> {
    let (index, org, value) = (
        name(index),
        escape_ordered(org.as_bytes()),
        escape_ordered(value),
    );
    Ok(KeySpan::below(&of_type(b"x", of, &[&index, &org, &value])?))
}

/// All entries of an index in an organization.
pub fn index_of_org(of: &TypeKey, index: &str, org: &str) -> Result<KeySpan, StorageError> {
    let (index, org) = (name(index), escape_ordered(org.as_bytes()));
    Ok(KeySpan::below(&of_type(b"x", of, &[&index, &org])?))
}

/// The entry that says at which version a resource is stored.
pub(crate) fn version_entry(
    of: &TypeKey,
    version: Version,
    org: &str,
    id: Uuid,
) -> Result<Key, StorageError> {
    let (version, org) = (version.to_string(), escape_ordered(org.as_bytes()));
    let id = id.to_string();
    let index = index::VERSION.as_bytes();
    of_type(b"x", of, &[index, version.as_bytes(), &org, id.as_bytes()])
}

/// The resources at a version, of all organizations.
pub fn at_version(of: &TypeKey, version: Version) -> Result<KeySpan, StorageError> {
    let version = version.to_string();
    let index = index::VERSION.as_bytes();
    Ok(KeySpan::below(&of_type(
        b"x",
        of,
        &[index, version.as_bytes()],
    )?))
}

/// The resources at a version, of one organization.
pub fn at_version_in(of: &TypeKey, version: Version, org: &str) -> Result<KeySpan, StorageError> {
    let (version, org) = (version.to_string(), escape_ordered(org.as_bytes()));
    let index = index::VERSION.as_bytes();
    Ok(KeySpan::below(&of_type(
        b"x",
        of,
        &[index, version.as_bytes(), &org],
    )?))
}

/// All entries of an index of a type.
pub fn index_of_type(of: &TypeKey, index: &str) -> Result<KeySpan, StorageError> {
    Ok(KeySpan::below(&of_type(b"x", of, &[&name(index)])?))
}

/// All index entries of a type.
pub fn index_entries(of: &TypeKey) -> Result<KeySpan, StorageError> {
    Ok(KeySpan::below(&of_type(b"x", of, &[])?))
}

/// The resource that an index entry points to: its last part.
pub fn id_of_entry(key: &Key) -> Option<Uuid> {
    let last = key.as_bytes().rsplit(|byte| *byte == b'/').next()?;
    Uuid::parse(std::str::from_utf8(last).ok()?)
}

/// How many resources have a name.
pub fn name_count(of: &TypeKey, org: &str, text: &str) -> Result<Key, StorageError> {
    let (org, text) = (escape_part(org.as_bytes()), escape_part(text.as_bytes()));
    of_type(b"n", of, &[&org, &text])
}

/// All counts of names of a type.
pub fn name_counts(of: &TypeKey) -> Result<KeySpan, StorageError> {
    Ok(KeySpan::below(&of_type(b"n", of, &[])?))
}

/// Reads the organization and the name of a count; `None` if one of them was cut.
pub fn read_name_count(key: &Key) -> Option<(String, String)> {
    let mut parts = key.as_bytes().split(|byte| *byte == b'/').skip(3);
    let (org, name) = (parts.next()?, parts.next()?);
    // A cut part is exactly this long. One that fits exactly is taken for cut too, which only costs
    // the caller another look.
    let whole = |part: &[u8]| part.len() < coeval_storage::key::MAX_PART;
    if !whole(org) || !whole(name) {
        return None;
    }
    let plain = |part: &[u8]| match part {
        // The empty text is escaped as a lone `%`, because no part of a key is empty.
        b"%" => Some(String::new()),
        part => unescape(part),
    };
    Some((plain(org)?, plain(name)?))
}

/// Where all that belongs to single resources is.
pub fn belongings() -> Result<Vec<KeySpan>, StorageError> {
    let below = |first: &[u8]| Ok(KeySpan::below(&key(&[first])?));
    [b"a".as_slice(), b"s", b"h", b"m"]
        .into_iter()
        .map(below)
        .collect()
}

/// The resource that something belongs to: the second part.
pub fn id_of_belonging(key: &Key) -> Option<Uuid> {
    let second = key.as_bytes().split(|byte| *byte == b'/').nth(1)?;
    Uuid::parse(std::str::from_utf8(second).ok()?)
}

/// The ACL of a resource.
pub fn acl(id: Uuid) -> Result<Key, StorageError> {
    key(&[b"a", id.to_string().as_bytes()])
}

/// The secrets of a resource's record at a major.
pub fn secrets(id: Uuid, major: u32) -> Result<Key, StorageError> {
    let major = format!("v{major}");
    key(&[b"s", id.to_string().as_bytes(), major.as_bytes()])
}

/// The entries of a resource: keys and values that people note beside its content.
pub fn entries(id: Uuid) -> Result<Key, StorageError> {
    key(&[b"m", id.to_string().as_bytes()])
}

/// All secrets.
pub fn all_secrets() -> Result<KeySpan, StorageError> {
    Ok(KeySpan::below(&key(&[b"s"])?))
}

/// An earlier revision of a resource.
pub fn history(id: Uuid, generation: u64) -> Result<Key, StorageError> {
    // Of fixed width: the order of keys is that of the generations.
    let generation = format!("{generation:016x}");
    key(&[b"h", id.to_string().as_bytes(), generation.as_bytes()])
}

/// All earlier revisions of a resource.
pub fn histories(id: Uuid) -> Result<KeySpan, StorageError> {
    Ok(KeySpan::below(&key(&[b"h", id.to_string().as_bytes()])?))
}

/// A record of what somebody did, ordered by time.
pub fn audit(at: u64, unique: u128) -> Result<Key, StorageError> {
    // Of fixed width: the order of keys is that of time, and what is too old is one range.
    let at = format!("{at:012x}-{unique:032x}");
    key(&[b"u", at.as_bytes()])
}

/// All records of what was done.
pub fn audits() -> Result<KeySpan, StorageError> {
    Ok(KeySpan::below(&key(&[b"u"])?))
}

/// A task.
pub fn task(id: Uuid) -> Result<Key, StorageError> {
    key(&[b"k", id.to_string().as_bytes()])
}

/// All tasks.
pub fn tasks() -> Result<KeySpan, StorageError> {
    Ok(KeySpan::below(&key(&[b"k"])?))
}

/// A task that has not ended: where runners look, and what it has to report so far.
pub fn open_task(id: Uuid) -> Result<Key, StorageError> {
    key(&[b"g", id.to_string().as_bytes()])
}

/// How many slots a task has at most.
pub const TASK_SLOTS: usize = 16;

/// What a task did ahead of its checkpoint, in one of its slots.
pub fn task_slot(id: Uuid, slot: usize) -> Result<Key, StorageError> {
    let slot = slot.to_string();
    key(&[b"c", id.to_string().as_bytes(), slot.as_bytes()])
}

/// All tasks that have not ended.
pub fn open_tasks() -> Result<KeySpan, StorageError> {
    Ok(KeySpan::below(&key(&[b"g"])?))
}

/// That a resource of a type in migration can't be converted.
pub fn failed(of: &TypeKey, id: Uuid) -> Result<Key, StorageError> {
    of_type(b"l", of, &[id.to_string().as_bytes()])
}

/// All that can't be converted, of a type.
pub fn all_failed(of: &TypeKey) -> Result<KeySpan, StorageError> {
    Ok(KeySpan::below(&of_type(b"l", of, &[])?))
}

/// Changes whenever one more can't be converted.
pub fn failed_lately(of: &TypeKey) -> Result<Key, StorageError> {
    of_type(b"d", of, &[])
}

/// A part of the work on a migration, or who does it. An atomic write that touches one of these
/// only copies records, or removes copies: nobody is told of the records in it.
pub fn background(of: &TypeKey, what: &str) -> Result<Key, StorageError> {
    of_type(b"b", of, &[&name(what)])
}

/// All parts of the work on a type's migration.
pub fn all_background(of: &TypeKey) -> Result<KeySpan, StorageError> {
    Ok(KeySpan::below(&of_type(b"b", of, &[])?))
}

/// A server, as it announces itself.
pub fn server(text: &str) -> Result<Key, StorageError> {
    key(&[b"i", &name(text)])
}

/// All servers.
pub fn servers() -> Result<KeySpan, StorageError> {
    Ok(KeySpan::below(&key(&[b"i"])?))
}

/// What the engine keeps once for a whole store, by name.
pub fn own(text: &str) -> Result<Key, StorageError> {
    key(&[b"o", &name(text)])
}

/// The password of a user, hashed.
pub fn password(user: Uuid) -> Result<Key, StorageError> {
    key(&[b"w", user.to_string().as_bytes()])
}

/// A session or an API token, by the hash of its secret.
pub fn session(hash: &str) -> Result<Key, StorageError> {
    key(&[b"z", &name(hash)])
}

/// That a session or API token is a user's.
pub fn session_of(user: Uuid, hash: &str) -> Result<Key, StorageError> {
    key(&[b"y", user.to_string().as_bytes(), &name(hash)])
}

/// All sessions and API tokens of a user.
pub fn sessions_of(user: Uuid) -> Result<KeySpan, StorageError> {
    Ok(KeySpan::below(&key(&[b"y", user.to_string().as_bytes()])?))
}

/// The failed logins of one user or one source, by a hash of its name.
pub fn failed_logins(hash: &str) -> Result<Key, StorageError> {
    key(&[b"q", &name(hash)])
}

/// A note that the ACLs of some types are to be brought in line with the bundles.
pub fn unsettled(id: Uuid) -> Result<Key, StorageError> {
    key(&[b"o", b"unsettled", id.to_string().as_bytes()])
}

/// All such notes.
pub fn all_unsettled() -> Result<KeySpan, StorageError> {
    Ok(KeySpan::below(&key(&[b"o", b"unsettled"])?))
}

fn unescape(part: &[u8]) -> Option<String> {
    let mut plain = Vec::with_capacity(part.len());
    let mut rest = part;
    while let Some((first, after)) = rest.split_first() {
        if *first != b'%' {
            plain.push(*first);
            rest = after;
            continue;
        }
        let (digits, after) = after.split_at_checked(2)?;
        let digits = std::str::from_utf8(digits).ok()?;
        // A part that was cut within an escape has no two digits here, and is not read back.
        plain.push(u8::from_str_radix(digits, 16).ok()?);
        rest = after;
    }
    String::from_utf8(plain).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn app() -> TypeKey {
        TypeKey::new("acme", "my-app")
    }

    #[test]
    fn the_key_of_a_resource_reads_back() {
        let id = Uuid(0x56ba_cbaa_8ddc_4bef_b7a5_e8f6_758a_ff25);
        let key = record(&app(), 2, id).unwrap();
        assert_eq!(read_record(&key), Some((app(), 2, id)));
        let entry = index_entry(&app(), index::NAME, "an/org", b"a name", id).unwrap();
        assert_eq!(id_of_entry(&entry), Some(id));
        assert_eq!(read_record(&entry), None);
    }

    #[test]
    fn a_phase_record_names_its_type() {
        assert_eq!(type_of_phase(&phase(&app()).unwrap()), Some(app()));
    }

    #[test]
    fn an_organization_sees_its_own_part_of_an_index() {
        let id = Uuid(1);
        let one = index_of_org(&app(), index::NAME, "org").unwrap();
        let inside = index_entry(&app(), index::NAME, "org", b"x", id).unwrap();
        let outside = index_entry(&app(), index::NAME, "org2", b"x", id).unwrap();
        assert!(one.contains(&inside) && !one.contains(&outside));
        let at = at_version(&app(), Version::new(1, 1, 0)).unwrap();
        let entry = |v| version_entry(&app(), v, "org", id).unwrap();
        assert!(at.contains(&entry(Version::new(1, 1, 0))));
        assert!(!at.contains(&entry(Version::new(1, 1, 1))));
    }
}
