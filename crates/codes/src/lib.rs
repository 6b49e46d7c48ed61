//! Every error code of Coeval, in one table.
//!
//! A code is a promise: once released it keeps its meaning, and `docs/errors/` has a page for it.
//! The first digit names the area: 1 version, 2 type, 3 conversion, 4 storage, 5 access,
//! 6 resource, 7 migration, 8 API, 9 server.
//!
//! A code also has a kind, and the kind has a status in each API: see [`ErrorKind`].
//!
//! An error declares its code on its variant, with [`#[derive(Coded)]`](derive@Coded):
//!
//! ```
//! use coeval_codes::{Coded, ErrorKind, RESTORING};
//!
//! #[derive(Debug, thiserror::Error, Coded)]
//! enum ShelfError {
//!     #[error("the shelf {name} is being restored")]
//!     #[code(RESTORING, advice = "Wait until {name} is complete.")]
//!     Restoring { name: String },
//! }
//!
//! let error = ShelfError::Restoring { name: "left".into() };
//! assert_eq!(error.code(), RESTORING);
//! assert_eq!(error.error_kind(), ErrorKind::Unavailable);
//! assert_eq!(error.advice(), "Wait until left is complete.");
//! ```

mod kind;

pub use coeval_codes_derive::{CodeOf, Coded};
pub use kind::{ApiStatuses, ErrorKind, GrpcCode};

use std::fmt;

/// A stable error code, printed as `COEVAL-4001`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Code {
    number: u16,
    kind: ErrorKind,
    title: &'static str,
}

impl Code {
    /// The four digits.
    #[must_use]
    pub const fn number(self) -> u16 {
        self.number
    }

    /// How the APIs answer it.
    #[must_use]
    pub const fn kind(self) -> ErrorKind {
        self.kind
    }

    /// One line that names the trouble; the heading of the code's page.
    #[must_use]
    pub const fn title(self) -> &'static str {
        self.title
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "COEVAL-{:04}", self.number)
    }
}

impl fmt::Debug for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// An error that can be shown to people: what happened is its `Display`, why is its page.
///
/// Implemented by [`#[derive(Coded)]`](derive@Coded); by hand only where the code is known at run time.
pub trait Coded: std::error::Error {
    /// The stable code.
    fn code(&self) -> Code;

    /// What to do next, as a sentence.
    fn advice(&self) -> String;

    /// How the APIs answer it: as its code says, unless this case of the code is another one.
    fn error_kind(&self) -> ErrorKind {
        self.code().kind()
    }
}

/// A name as one word of a command that an advice gives: quoted if a shell would take it for more.
#[must_use]
pub fn shell_word(name: &str) -> String {
    let plain = |one: char| one.is_ascii_alphanumeric() || ":@._-".contains(one);
    if !name.is_empty() && name.chars().all(plain) {
        return name.to_owned();
    }
    // A quote inside ends the quoted part, stands escaped, and begins the next part.
    format!("'{}'", name.replace('\'', r"'\''"))
}

macro_rules! codes {
    ($($name:ident = $number:literal, $kind:ident, $title:literal;)*) => {
        $(#[doc = $title] pub const $name: Code = Code {
            number: $number,
            kind: ErrorKind::$kind,
            title: $title,
        };)*

        /// All codes, in order.
        pub const ALL: &[Code] = &[$($name),*];
        /// The constants' names, in the same order.
        pub const NAMES: &[&str] = &[$(stringify!($name)),*];
    };
}

codes! {
    VERSION_INVALID = 1001, InvalidArgument, "The version is not valid";
    VERSION_PRE_RELEASE = 1002, InvalidArgument, "The version has a pre-release label";
    VERSION_BUILD_METADATA = 1003, InvalidArgument, "The version has build metadata";
    MARK_NOT_ALLOWED = 1004, InvalidArgument, "The mark +downgraded has no place here";
    VERSION_TOO_LARGE = 1005, InvalidArgument, "A number of the version is too large";
    VERSION_INCOMPLETE = 1006, InvalidArgument, "The version is cut short";
    NAME_INVALID = 1007, InvalidArgument, "The vendor or nss is not valid";
    URN_INVALID = 1008, InvalidArgument, "The id is not valid";
    VERSION_UNKNOWN = 1101, FailedPrecondition, "This server does not know the version";
    MAJOR_UNKNOWN = 1102, FailedPrecondition, "This server does not know the major version";
    STORED_VERSION_UNKNOWN = 1103, FailedPrecondition, "This server does not know the stored version";
    CLIENT_TOO_OLD = 1104, FailedPrecondition, "The client is older than every known version";
    MARKED_BODY = 1105, FailedPrecondition, "A body marked +downgraded can't be stored";
    MARKED_RECORD = 1106, FailedPrecondition, "The record is a read-only copy";
    SKEW_STRICT = 1107, FailedPrecondition, "The type does not accept edits made at another version";
    MAJOR_HIGHER = 1108, FailedPrecondition, "The body is of a higher major version";
    FULL_CONTROL_NEEDED = 1109, PermissionDenied, "Full control is needed to change the version or to force";
    RESTRICTED_VIEW = 1110, FailedPrecondition, "A restricted view can't be written back";
    IN_MIGRATION = 1111, FailedPrecondition, "The resource is being migrated between two other major versions";
    MEANING_BETWEEN = 1112, FailedPrecondition, "A change of meaning lies between the stored version and the body's";
    VIEW_UNFIT = 1113, FailedPrecondition, "The resource does not fit the version that it was asked for at";
    TYPE_FILE_SYNTAX = 2001, InvalidArgument, "The type file is neither YAML nor JSON";
    TYPE_FILE_TOO_LARGE = 2002, InvalidArgument, "The type file has too many bytes";
    TYPE_FILE_TOO_DEEP = 2003, InvalidArgument, "The type file has too many levels";
    TYPE_FILE_TOO_MANY_NODES = 2004, InvalidArgument, "The type file has too many values";
    TYPE_FILE_YAML = 2005, InvalidArgument, "The type file uses YAML that has no meaning in JSON";
    TYPE_KEY_TWICE = 2006, InvalidArgument, "A key of the type file is there twice";
    TYPE_KEY_UNKNOWN = 2007, InvalidArgument, "A key of the type file is not known";
    TYPE_KEY_MISSING = 2008, InvalidArgument, "A key of the type file is missing";
    TYPE_VALUE_INVALID = 2009, InvalidArgument, "A value in the type file is not what its key takes";
    TYPE_NAME_MISMATCH = 2010, InvalidArgument, "The type file's name does not agree with its content";
    TYPE_PATH_INVALID = 2011, InvalidArgument, "A path in the type file names no field";
    TYPE_INDEXES_TOO_MANY = 2012, InvalidArgument, "The type version has too many indexes";
    TYPED_NAME_UNSAYABLE = 2070, NotServed, "Protobuf can't have a field of that name";
    TYPED_NAME_COLLIDES = 2071, NotServed, "Two fields have the same name in protobuf";
    TYPED_KIND_CHANGED = 2072, NotServed, "A field holds something else than before";
    TYPED_PACKAGE_UNSAYABLE = 2073, NotServed, "The type can't have a typed service";
    TYPED_PACKAGE_TAKEN = 2074, NotServed, "Another type has the package";
    TYPED_PACKAGE_FROZEN = 2075, NotServed, "The typed service stays at an earlier version";
    TYPED_PACKAGE_TOO_LARGE = 2076, NotServed, "The type has more fields than a package takes";
    TYPED_NUMBERS_UNREADABLE = 2077, NotServed, "The numbers of a type's fields can't be read";
    TYPED_FIELD_CAME_BACK = 2078, NotServed, "A field that was gone is back";
    SCHEMA_INVALID = 2101, InvalidArgument, "The schema is not valid";
    SCHEMA_DIALECT_UNKNOWN = 2102, InvalidArgument, "The schema's dialect is not known";
    SCHEMA_REF_REMOTE = 2103, InvalidArgument, "The schema refers to something outside of it";
    SCHEMA_REF_DANGLING = 2104, InvalidArgument, "The schema refers to something that does not exist";
    SCHEMA_TOO_LARGE = 2105, InvalidArgument, "The schema has too many bytes";
    SCHEMA_TOO_DEEP = 2106, InvalidArgument, "The schema has too many levels";
    SCHEMA_TOO_MANY_REFS = 2107, InvalidArgument, "The schema has too many references";
    SCHEMA_TOO_COMPLEX = 2108, InvalidArgument, "The schema is too complex";
    SCHEMA_ENDLESS = 2109, InvalidArgument, "The schema applies itself for ever";
    PATTERN_UNSUPPORTED = 2110, InvalidArgument, "A pattern needs look-around or a back-reference";
    PATTERN_INVALID = 2111, InvalidArgument, "A pattern is not a regular expression";
    PATTERN_TOO_COSTLY = 2112, InvalidArgument, "A pattern is too costly";
    RESTRICTION_INVALID = 2113, InvalidArgument, "A restriction is of no known class";
    DEFAULTS_ENDLESS = 2114, InvalidArgument, "The schema's defaults need other defaults without an end";
    LIST_KEY_INVALID = 2115, InvalidArgument, "The key of a list is not one";
    BODY_NOT_JSON = 2201, InvalidArgument, "The body is not JSON";
    BODY_NOT_UTF8 = 2202, InvalidArgument, "The body is not UTF-8";
    BODY_TOO_LARGE = 2203, TooLarge, "The body has too many bytes";
    BODY_TOO_DEEP = 2204, InvalidArgument, "The body has too many levels";
    BODY_DUPLICATE_KEY = 2205, InvalidArgument, "A key of the body is there twice";
    BODY_NUMBER = 2206, InvalidArgument, "A number of the body can't be held exactly";
    CONTENT_INVALID = 2207, InvalidArgument, "The content does not fit its schema";
    FIELD_TOO_NEW = 2208, InvalidArgument, "The body sets a field of a later version";
    DOCUMENT_INVALID = 2209, InvalidArgument, "The document is neither YAML nor JSON";
    TYPE_UNKNOWN = 2301, NotFound, "There is no such type";
    TYPE_VERSION_UNKNOWN = 2302, NotFound, "The type has no such version";
    TYPE_EXISTS = 2303, AlreadyExists, "The type version exists already";
    TYPE_IN_USE = 2304, FailedPrecondition, "The type version has resources";
    TYPE_EDITING = 2305, FailedPrecondition, "The type version is being edited";
    BUILT_IN = 2306, FailedPrecondition, "It is built in";
    TYPE_IS_PARENT = 2307, FailedPrecondition, "Other versions are converted from the type version";
    TYPE_REFUSED = 2308, InvalidArgument, "The definition can't be used";
    TYPE_INCOMPATIBLE = 2309, FailedPrecondition, "The type version is not compatible with the ones before";
    INTERFACE_UNKNOWN = 2310, NotFound, "There is no such interface";
    INTERFACE_IN_USE = 2311, FailedPrecondition, "The interface is in use";
    BEHAVIOR_EXISTS = 2312, AlreadyExists, "The behavior exists already";
    BEHAVIOR_UNKNOWN = 2313, PartNotFound, "There is no such behavior";
    BEHAVIOR_INVALID = 2314, InvalidArgument, "The behavior is not valid";
    TYPE_RETIRED = 2315, FailedPrecondition, "A retired type version is registered with another definition";
    ANNOTATION_INVALID = 2316, InvalidArgument, "The deprecation or the columns of a type version can't be used";
    CONVERSION_STEP = 3001, InvalidArgument, "A step of a conversion is wrong";
    CONVERSION_PARENT_UNKNOWN = 3002, InvalidArgument, "A conversion starts from a version that does not exist";
    VERSION_TWICE = 3003, InvalidArgument, "The same version is given twice";
    VERSION_OF_OTHER_TYPE = 3004, InvalidArgument, "Versions of different types are given as one";
    CONVERSION_VALUE = 3101, FailedPrecondition, "A value has no counterpart in the other version";
    CONVERSION_TOO_DEEP = 3102, FailedPrecondition, "Converted content would have too many levels";
    CONVERSION_TOO_LARGE = 3103, FailedPrecondition, "Converted content would be too large";
    CONVERSION_VERSION_UNKNOWN = 3104, FailedPrecondition, "There is no such version to convert to";
    VERSIONS_TOO_COMPLEX = 3105, FailedPrecondition, "The schemas of the versions are too complex to be compared";
    KEPT_INVALID = 3106, NotServed, "The file does not hold what a conversion kept";
    BODY_UNEXPRESSED = 3201, FailedPrecondition, "The body sets a field that its version does not have";
    LIST_NEEDS_KEY = 3202, FailedPrecondition, "The items of a list can't be told apart";
    MIRRORS_DIFFER = 3203, FailedPrecondition, "Two fields that say the same were changed differently";
    RESTRICTED_FIELDS = 3204, FailedPrecondition, "The body changes fields that need full control";
    SECRETS_MISMATCH = 3205, FailedPrecondition, "The secrets don't belong to the record";
    FIELD_UNDECLARED = 3206, InvalidArgument, "No version of the type declares the field";
    CONVERSION_DOES_NOT_FIT = 3301, InvalidArgument, "A converted document does not fit the other version";
    CONVERSION_WEAKENS = 3302, InvalidArgument, "A conversion would show a field to more people";
    CONVERSION_LAW_BROKEN = 3303, InvalidArgument, "A conversion breaks a law on a document";
    KEY_INVALID = 4001, Internal, "The key is not valid";
    TOO_LARGE = 4002, TooLarge, "A storage limit was exceeded";
    WRITE_INVALID = 4003, Internal, "The write is not well formed";
    NOT_FOUND = 4004, Internal, "The key does not exist";
    ALREADY_EXISTS = 4005, Internal, "The key exists already";
    CONFLICT = 4006, Internal, "The revision does not match";
    COMPACTED = 4007, OutOfRange, "The sequence is not in this store's history any more";
    FELL_BEHIND = 4008, OutOfRange, "The watcher fell behind";
    UNKNOWN_OUTCOME = 4009, Unavailable, "Nobody knows whether the write happened";
    UNAVAILABLE = 4010, Unavailable, "The store can't be reached";
    FULL = 4011, Unavailable, "The store has no space left";
    DAMAGED = 4012, DataLoss, "A stored record is damaged";
    IN_USE = 4013, Internal, "Another process owns the store";
    RESTORING = 4014, Unavailable, "A restore is under way or was not finished";
    CLOSED = 4015, Unavailable, "The store was closed";
    LEVEL_UNKNOWN = 4016, Unavailable, "The store was written by a newer release";
    NOT_EMPTY = 4017, NotServed, "The target store is not empty";
    URL_INVALID = 4018, Internal, "The store's address is not valid";
    BUSY = 4019, Unavailable, "The store is too busy";
    CLOCK_OFF = 4020, Internal, "This server's clock is off";
    READ_ONLY = 4021, Internal, "The store was opened read-only";
    IMPORT_INVALID = 4022, NotServed, "The file can't be imported";
    BACKUP_INVALID = 4023, NotServed, "The file is not a usable backup";
    FAILED = 4024, Internal, "The store failed in a way that has no name yet";
    FILE = 4025, NotServed, "A file can't be read or written";
    RIGHT_MISSING = 5001, PermissionDenied, "A right is missing";
    ACL_LEVEL_TOO_LOW = 5002, PermissionDenied, "The ACL grants too little";
    OTHER_ORGANIZATION = 5003, PermissionDenied, "It belongs to another organization";
    TYPE_VERSION_NOT_VISIBLE = 5004, PermissionDenied, "The type version is not visible";
    TYPE_LEVEL_TOO_LOW = 5005, PermissionDenied, "The ACL of the type version grants too little";
    PROVIDER_ONLY = 5006, PermissionDenied, "Only the provider may do it";
    GRANT_ABOVE_OWN = 5007, PermissionDenied, "The grant is above the caller's own level";
    SECRETS_NOT_GRANTED = 5008, PermissionDenied, "Secrets need a grant of full control";
    TENANT_CONTEXT_REFUSED = 5009, PermissionDenied, "Only the provider acts for another organization";
    ACCESS_LEVEL_UNKNOWN = 5010, InvalidArgument, "There is no such access level";
    GRANT_MISSING = 5011, InvalidArgument, "The ACL has no such grant";
    GRANTS_TOO_MANY = 5012, InvalidArgument, "The ACL has too many grants";
    INHERITED_VERSION_UNKNOWN = 5013, InvalidArgument, "There is no such version to inherit access from";
    LOGIN_FAILED = 5050, Unauthenticated, "The login failed";
    LOGIN_BLOCKED = 5051, ResourceExhausted, "Too many logins failed";
    LOGINS_TOO_MANY = 5052, ResourceExhausted, "Too many logins at the same time";
    TOKEN_INVALID = 5053, Unauthenticated, "The session or token is not valid";
    PASSWORD_REFUSED = 5054, InvalidArgument, "The password can't be used";
    PASSWORD_HASH_REFUSED = 5055, InvalidArgument, "The password's hash can't be used";
    ORGANIZATION_UNKNOWN = 5056, NotFound, "There is no such organization";
    ORGANIZATION_IN_USE = 5057, FailedPrecondition, "The organization is not empty";
    USER_UNKNOWN = 5058, NotFound, "There is no such user";
    ROLE_UNKNOWN = 5059, NotFound, "There is no such role";
    ROLE_IN_USE = 5060, FailedPrecondition, "The role is in use";
    BUNDLE_UNKNOWN = 5061, NotFound, "There is no such rights bundle";
    RIGHT_UNKNOWN = 5062, InvalidArgument, "There is no such right";
    PREDEFINED = 5063, FailedPrecondition, "It is predefined";
    ABOVE_OWN_RIGHTS = 5064, PermissionDenied, "It takes rights that the caller does not have";
    IDENTITY_NAME_INVALID = 5065, InvalidArgument, "The name can't be used";
    PUBLISHED_TO_ALL = 5066, FailedPrecondition, "The bundle is published to all";
    SESSION_UNKNOWN = 5067, NotFound, "There is no such session or token";
    BOOTSTRAP_INVALID = 5068, InvalidArgument, "The bootstrap file is not valid";
    TOKEN_AT_OTHER_DOOR = 5401, PermissionDenied, "The token is not that of the organization's user";
    RESOURCE_NOT_FOUND = 6001, NotFound, "There is no such resource";
    RESOURCE_EXISTS = 6002, AlreadyExists, "The resource exists already";
    NAME_AMBIGUOUS = 6003, FailedPrecondition, "Several resources have the name";
    RESOURCE_CONFLICT = 6004, Aborted, "The resource has another revision";
    CONTENDED = 6005, Aborted, "Too many others write the same thing";
    STATE_FORBIDS = 6006, FailedPrecondition, "The resource's state forbids it";
    METADATA_INVALID = 6007, InvalidArgument, "The metadata is not valid";
    RESOURCE_UNREADABLE = 6008, DataLoss, "A stored resource can't be read";
    REVISION_NEEDED = 6009, InvalidArgument, "An update needs a revision";
    MASK_INVALID = 6010, InvalidArgument, "The field mask is not valid";
    NOT_ENCODED = 6011, Internal, "Something can't be encoded to be stored";
    INDEX_WRONG = 6020, NotServed, "An index does not agree with the resources";
    COUNT_WRONG = 6021, NotServed, "A count does not agree with the resources";
    BELONGING_ORPHANED = 6022, NotServed, "Something belongs to a resource that is not there";
    SECRETS_NO_KEY = 6050, FailedPrecondition, "There is no key for secure fields";
    TYPED_ITEM_UNMATCHED = 6070, FailedPrecondition, "A changed list holds what the message can't say";
    TYPED_NUMBER = 6071, InvalidArgument, "A number of the message is none in JSON";
    TYPED_VALUE_EMPTY = 6072, InvalidArgument, "A value of the message is of no kind";
    TYPED_EXTRA_UNKNOWN = 6073, InvalidArgument, "The message's extra names a field that does not belong there";
    TYPED_FIELD_UNKNOWN = 6074, FailedPrecondition, "The message has a field that the package does not describe";
    TYPED_MASK_UNKNOWN = 6075, InvalidArgument, "The field mask names no field of the message";
    TYPED_TOO_DEEP = 6076, InvalidArgument, "The message has too many levels";
    WATCH_COMPACTED = 6080, OutOfRange, "The events after that sequence are no longer kept";
    WATCH_OTHER_HISTORY = 6081, OutOfRange, "The sequence is of another history";
    WATCH_RIGHTS_CHANGED = 6082, OutOfRange, "What the watcher may see has changed";
    WATCH_FELL_BEHIND = 6083, OutOfRange, "The watcher was slower than the events are kept";
    FILTER_TOO_LARGE = 6101, InvalidArgument, "The filter or order is too large";
    FILTER_FIELD_INVALID = 6102, InvalidArgument, "The filter or order names no field";
    FILTER_OPERAND_INVALID = 6103, InvalidArgument, "A value in the filter does not fit its comparison";
    FILTER_FIELD_UNDECLARED = 6104, InvalidArgument, "The filter or order names a field that no version declares";
    KEYRING_INVALID = 6111, InvalidArgument, "The keyring can't be read";
    SEALED_KEY_UNKNOWN = 6112, FailedPrecondition, "The key of something sealed is not in the keyring";
    SEALED_NOT_AUTHENTIC = 6113, FailedPrecondition, "Something sealed was altered or belongs elsewhere";
    SEALED_MALFORMED = 6114, FailedPrecondition, "The bytes are nothing that was sealed";
    RANDOM_UNAVAILABLE = 6115, FailedPrecondition, "The system gives no random bytes";
    PAGE_TOKEN_INVALID = 6121, InvalidArgument, "The page token can't be read";
    PAGE_TOKEN_OTHER = 6122, InvalidArgument, "The page token is of another listing";
    SORT_TOO_LARGE = 6130, ListingTooLarge, "There are too many resources to be sorted";
    PAGE_INVALID = 6131, InvalidArgument, "There is no such page";
    PAGE_TOO_LARGE = 6132, ListingTooLarge, "The resources of a numbered page are too large";
    TASK_UNKNOWN = 6200, NotFound, "There is no such task";
    TASK_ENDED = 6201, FailedPrecondition, "The task has ended already";
    TASK_ABORTED = 6202, InvalidArgument, "The job of a task broke off";
    TASK_UNREADABLE = 6203, InvalidArgument, "A stored task can't be read";
    TASK_TOO_LARGE = 6204, InvalidArgument, "A task keeps too much";
    MIGRATION_TARGET_REFUSED = 6205, InvalidArgument, "Resources can't be migrated to that version";
    MIGRATION_MEANING_CHANGED = 6206, FailedPrecondition, "A version on the way changes what fields mean";
    MIGRATION_LEFT_BEHIND = 6207, InvalidArgument, "The resource was written all the time and left as it was";
    ENTRY_UNKNOWN = 6301, NotFound, "There is no such metadata entry";
    ENTRY_EXISTS = 6302, AlreadyExists, "The metadata entry exists already";
    ENTRY_INVALID = 6303, InvalidArgument, "The metadata entry is not valid";
    ENTRIES_TOO_MANY = 6304, InvalidArgument, "The resource has too many metadata entries";
    ENTRY_FLAG_INVALID = 6305, OptionDenied, "The metadata entry can't be read-only in that domain";
    ENTRY_PROVIDERS = 6306, PermissionDenied, "The metadata entry is for the provider to change";
    APPLIED_INVALID = 6307, InvalidArgument, "What a file declares is not valid";
    RESOURCE_FILE_INVALID = 6310, NotServed, "A file is not one of resources";
    RESOURCE_FILE_OF_TYPE = 6311, NotServed, "A file of a type is given where resources are wanted";
    APPLY_DRIFT = 6312, NotServed, "Somebody else has changed what the file declares";
    FILE_REVISION_OLD = 6313, NotServed, "The file is of another revision";
    EDIT_NOT_SAVED = 6314, NotServed, "The edit was not saved";
    REVISION_NOT_KEPT = 6315, NotServed, "No kept revision, or several, begin so";
    BEHAVIOR_NOT_GRANTED = 6321, PermissionDenied, "The type version lets nobody invoke the behavior";
    BEHAVIOR_LEVEL_TOO_LOW = 6322, PermissionDenied, "The behavior takes a higher level";
    BEHAVIOR_NOT_RUN = 6323, FailedPrecondition, "This server does not run behaviors of that kind";
    BEHAVIOR_FAILED = 6324, FailedPrecondition, "The behavior failed";
    HOOK_NOT_RUN = 6325, FailedPrecondition, "A hook of the type version can't be run";
    INVOCATION_LOG_MISSING = 6326, PermissionDenied, "The invocation has no log";
    WEBHOOK_INVALID = 6330, FailedPrecondition, "The definition of a WebHook can't be used";
    WEBHOOK_ADDRESS_REFUSED = 6331, FailedPrecondition, "A WebHook's address may not be called";
    WEBHOOK_UNREACHABLE = 6332, FailedPrecondition, "A WebHook's server can't be reached";
    WEBHOOK_TIMED_OUT = 6333, FailedPrecondition, "A WebHook's server took too long";
    WEBHOOK_ANSWER_INVALID = 6334, FailedPrecondition, "A WebHook's answer can't be used";
    WEBHOOK_REFUSED = 6335, FailedPrecondition, "A WebHook's server refused";
    PHASE_UNKNOWN = 7001, InvalidArgument, "There is no phase of that name";
    PHASE_NOT_LIVE = 7002, FailedPrecondition, "The server's phase is not live";
    EPOCH_PASSED = 7003, FailedPrecondition, "The phase changed while the request was under way";
    MIGRATION_NONE = 7004, FailedPrecondition, "The type is not being migrated";
    MIGRATION_RUNNING = 7005, FailedPrecondition, "The type is being migrated already";
    MIGRATION_MAJORS = 7006, FailedPrecondition, "The type can't be migrated between these majors";
    SERVERS_BEHIND = 7007, FailedPrecondition, "Some servers are still at the other phase";
    RESOURCES_FAILED = 7008, FailedPrecondition, "Some resources can't be converted";
    BACKFILL_NOT_DONE = 7009, FailedPrecondition, "The backfill has not ended";
    COPY_BACK_NOT_DONE = 7010, FailedPrecondition, "The copy back has not ended";
    PHASE_NO_WAY_BACK = 7011, FailedPrecondition, "There is no way back from the phase";
    PHASE_LAST = 7012, FailedPrecondition, "The migration is, or is not, at its last phase";
    OLD_RECORDS_LEFT = 7013, FailedPrecondition, "Records are left at the old major";
    PHASE_NOT_AUTOMATIC = 7014, FailedPrecondition, "The phase is not entered automatically";
    PHASE_OUT_OF_REACH = 7015, FailedPrecondition, "The phase is more than one step away";
    MIRROR_UNFIT = 7016, FailedPrecondition, "The content fits only one of the two majors";
    PHASE_NOT_FIRST = 7017, FailedPrecondition, "The migration is not where it began";
    MIRRORS_LEFT = 7018, FailedPrecondition, "Mirrors are left at the new major";
    MIGRATION_UNKNOWN = 7019, NotFound, "There is no such migration";
    MIGRATION_INVALID = 7020, InvalidArgument, "The migration can't be declared so";
    MIGRATION_ENDED = 7021, FailedPrecondition, "The migration has ended";
    MIGRATION_UNDOING = 7022, FailedPrecondition, "The migration is being undone";
    MIGRATION_WITHOUT_ACCESS = 7023, FailedPrecondition, "Some would lose access with the migration";
    ROUTE_UNKNOWN = 8001, RouteUnknown, "This server has nothing at that path";
    METHOD_UNKNOWN = 8002, MethodUnknown, "The path does not answer that method";
    API_VERSION_UNKNOWN = 8003, NotAcceptable, "The API version is not served";
    CREDENTIALS_MISSING = 8004, Unauthenticated, "The request says nothing of who sends it";
    QUERY_INVALID = 8005, InvalidArgument, "A query parameter is not valid";
    REQUEST_INVALID = 8006, InvalidArgument, "The body is not what the route takes";
    ID_INVALID = 8007, InvalidArgument, "An id is not valid";
    REQUESTS_TOO_MANY = 8008, ResourceExhausted, "The user sends too many requests";
    BODY_TOO_SLOW = 8009, TimedOut, "The body did not arrive in time";
    HEADER_INVALID = 8010, InvalidArgument, "A header is not valid";
    FILTER_SYNTAX = 8011, InvalidArgument, "The filter can't be read";
    IF_MATCH_NEEDED = 8012, PreconditionMissing, "A write must say which revision it changes";
    PATH_INVALID = 8013, InvalidArgument, "The path can't be read in one way";
    CERTIFICATE_REFUSED = 8014, Unauthenticated, "The client's certificate names no user";
    HEADERS_TOO_LARGE = 8015, HeadersTooLarge, "The headers are too large";
    KIND_UNKNOWN = 8016, NotFound, "No type has this kind";
    KIND_AMBIGUOUS = 8017, FailedPrecondition, "Several types have this kind";
    FIELD_UNKNOWN = 8018, InvalidArgument, "The request has a field that this release does not know";
    MESSAGE_TOO_LARGE = 8020, TooLarge, "A message is larger than the server takes";
    MESSAGE_UNREADABLE = 8021, InvalidArgument, "A message can't be read";
    COMPRESSION_UNKNOWN = 8022, Unsupported, "A message is compressed in a way that the server does not read";
    DEADLINE_PASSED = 8023, TimedOut, "The time that the caller gave was over";
    PROTO_FILE_UNKNOWN = 8024, NotFound, "There is no such .proto file";
    PACKAGE_VERSION_OTHER = 8026, InvalidArgument, "The version or kind is not of the package";
    CALL_FAILED = 8027, Internal, "A call ended for a reason that the server can't tell";
    CONTENT_TYPE_UNKNOWN = 8028, InvalidArgument, "The content type is not one of gRPC's";
    DEFINITION_EXISTS = 8030, AlreadyExists, "The definition exists already";
    CSRF_REFUSED = 8040, PermissionDenied, "The request lacks the token of its browser session";
    ORIGIN_REFUSED = 8041, PermissionDenied, "The request comes from a page of another site";
    GLOBAL_ROLE_FOR_ALL = 8080, InvalidArgument, "A global role is there for every organization";
    GRANT_TYPE_UNKNOWN = 8081, InvalidArgument, "The kind of OAuth grant is not served";
    SERVER_UNREACHABLE = 8090, NotServed, "No server can be reached";
    ANSWER_UNREADABLE = 8091, NotServed, "A server's answer is not what it should be";
    RELEASE_TOO_OLD = 8092, NotServed, "The server's release does not have this";
    ADDRESS_INVALID = 8093, NotServed, "The address is not that of a server";
    CODE_NEWER = 8094, NotServed, "The server says a code that this release does not know";
    STORE_RESTORED = 8095, NotServed, "The server's history is another than the one that was seen";
    CONFIG_INVALID = 9001, NotServed, "The configuration is not valid";
    LISTEN_FAILED = 9002, NotServed, "The server can't listen";
    TLS_INVALID = 9003, NotServed, "The certificate or key can't be used";
    CLIENT_CA_INVALID = 9004, NotServed, "The authorities of clients' certificates can't be used";
    CONTEXT_UNKNOWN = 9050, NotServed, "There is no such context";
    CREDENTIALS_EXPOSED = 9051, NotServed, "The credentials can be read by others";
    CONTEXT_FILE_INVALID = 9052, NotServed, "A file with contexts or credentials can't be used";
    LOGIN_NEEDED = 9053, NotServed, "Nobody is logged in";
    WAIT_OVER = 9054, NotServed, "It did not become so in time";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_unique_and_ascending() {
        assert!(ALL.windows(2).all(|pair| pair[0].number < pair[1].number));
    }

    #[test]
    fn a_code_prints_with_four_digits() {
        assert_eq!(KEY_INVALID.to_string(), "COEVAL-4001");
    }
}
