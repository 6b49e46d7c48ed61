//! What a package can't say of a type, or says otherwise than one would expect.

use coeval_codes::Code;

/// Which of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PackageFindingKind {
    /// A field whose name protobuf can't have: it is in `extra`.
    NameUnsayable,
    /// A field whose name in protobuf is that of another: it is in `extra`.
    NameCollides,
    /// A field that holds something else than before in this major: it is in `extra`.
    KindChanged,
    /// A field that was gone in between: it is in `extra`.
    CameBack,
    /// The type can't have a package.
    PackageUnsayable,
    /// Another type has the package.
    PackageTaken,
    /// The package stays as it was, because a version is unproven.
    Frozen,
    /// The package is as large as it may be: what is beyond is in `extra` or a plain value.
    TooLarge,
}

impl PackageFindingKind {
    /// Its code.
    #[must_use]
    pub const fn code(self) -> Code {
        match self {
            Self::NameUnsayable => coeval_codes::TYPED_NAME_UNSAYABLE,
            Self::NameCollides => coeval_codes::TYPED_NAME_COLLIDES,
            Self::KindChanged => coeval_codes::TYPED_KIND_CHANGED,
            Self::CameBack => coeval_codes::TYPED_FIELD_CAME_BACK,
            Self::PackageUnsayable => coeval_codes::TYPED_PACKAGE_UNSAYABLE,
            Self::PackageTaken => coeval_codes::TYPED_PACKAGE_TAKEN,
            Self::Frozen => coeval_codes::TYPED_PACKAGE_FROZEN,
            Self::TooLarge => coeval_codes::TYPED_PACKAGE_TOO_LARGE,
        }
    }
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
