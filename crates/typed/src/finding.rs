//! What a package can't say of a type, or says otherwise than one would expect.

use coeval_codes::CodeOf;

/// Which of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, CodeOf)]
pub enum PackageFindingKind {
    /// A field whose name protobuf can't have: it is in `extra`.
    #[code(TYPED_NAME_UNSAYABLE)]
    NameUnsayable,
    /// A field whose name in protobuf is that of another: it is in `extra`.
    #[code(TYPED_NAME_COLLIDES)]
    NameCollides,
    /// A field that holds something else than before in this major: it is in `extra`.
    #[code(TYPED_KIND_CHANGED)]
    KindChanged,
    /// A field that was gone in between: it is in `extra`.
    #[code(TYPED_FIELD_CAME_BACK)]
    CameBack,
    /// The type can't have a package.
    #[code(TYPED_PACKAGE_UNSAYABLE)]
    PackageUnsayable,
    /// Another type has the package.
    #[code(TYPED_PACKAGE_TAKEN)]
    PackageTaken,
    /// The package stays as it was, because a version is unproven.
    #[code(TYPED_PACKAGE_FROZEN)]
    Frozen,
    /// The package is as large as it may be: what is beyond is in `extra` or a plain value.
    #[code(TYPED_PACKAGE_TOO_LARGE)]
    TooLarge,
}

/// One finding. It never stands in the way of a version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackageFinding {
    /// Which.
    pub kind: PackageFindingKind,
    /// Where in the content.
    pub path: String,
    /// For people.
    pub message: String,
}
