//! The names of packages, messages and fields, as protobuf and its linters want them.

use crate::finding::{PackageFinding, PackageFindingKind};
use crate::limits::NAME;

/// Vendors whose packages are somebody else's, or ours.
const TAKEN: [&str; 4] = ["coeval", "google", "grpc", "buf"];

/// Fields that stand beside the resource in requests and responses.
const BESIDE: [&str; 4] = ["task", "kept", "dropped", "update_mask"];

/// The field that holds what no other can name.
pub const EXTRA: &str = "extra";

/// How a type is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackageName {
    vendor: String,
    /// In lower snake case.
    nss: String,
}

impl PackageName {
    /// Of a type.
    ///
    /// # Errors
    /// A finding, if it can't have a package.
    pub fn of(vendor: &str, nss: &str) -> Result<Self, PackageFinding> {
        let refuse = |message: String| PackageFinding {
            kind: PackageFindingKind::PackageUnsayable,
            path: String::new(),
            message: format!("{vendor}:{nss} has no typed service: {message}"),
        };
        let name = |text: &str| {
            lower_snake(text)
                .ok_or_else(|| refuse(format!("{text:?} can't be part of a package's name")))
        };
        let (vendor, nss) = (name(vendor)?, name(nss)?);
        if TAKEN.contains(&vendor.as_str()) {
            return Err(refuse(format!("packages below {vendor} are not for types")));
        }
        Ok(Self { vendor, nss })
    }

    /// `acme.app`: what all majors have in common.
    #[must_use]
    pub fn base(&self) -> String {
        format!("{}.{}", self.vendor, self.nss)
    }

    /// `acme.app.v1`
    #[must_use]
    pub fn package(&self, major: u32) -> String {
        format!("{}.{}.v{major}", self.vendor, self.nss)
    }

    /// `acme/app/v1/app.proto`
    #[must_use]
    pub fn file(&self, major: u32) -> String {
        format!("{}/{}/v{major}/{}.proto", self.vendor, self.nss, self.nss)
    }

    /// `app`: what it is called in lower snake case.
    #[must_use]
    pub fn kind(&self) -> &str {
        &self.nss
    }

    /// `app`: the field of requests and responses.
    #[must_use]
    pub fn field(&self) -> String {
        if BESIDE.contains(&self.nss.as_str()) {
            return format!("{}_resource", self.nss);
        }
        self.nss.clone()
    }

    /// `apps`: the field of listings.
    #[must_use]
    pub fn plural_field(&self) -> String {
        plural(&self.nss)
    }

    /// `App`
    #[must_use]
    pub fn message(&self) -> String {
        upper_camel(&self.nss)
    }

    /// `Apps`
    #[must_use]
    pub fn plural(&self) -> String {
        upper_camel(&plural(&self.nss))
    }
}

/// The base and the major of a package's name: `acme.app` and 1 of `acme.app.v1`.
#[must_use]
pub fn split_package(package: &str) -> Option<(&str, u32)> {
    let (base, version) = package.rsplit_once('.')?;
    let digits = version.strip_prefix('v')?;
    let major: u32 = digits.parse().ok()?;
    let plain = digits == major.to_string();
    (plain && base.matches('.').count() == 1).then_some((base, major))
}

/// `imageName` and `image-name` as `image_name`; nothing if it can't be said so.
#[must_use]
pub fn lower_snake(text: &str) -> Option<String> {
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    let starts = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    if !starts || text.len() > NAME || !text.chars().all(allowed) {
        return None;
    }
    let letters: Vec<char> = text.chars().collect();
    let mut name = String::with_capacity(text.len() + 8);
    for (at, letter) in letters.iter().enumerate() {
        if matches!(letter, '_' | '-') {
            if !name.is_empty() && !name.ends_with('_') {
                name.push('_');
            }
            continue;
        }
        let before = at.checked_sub(1).and_then(|at| letters.get(at));
        let after = letters.get(at + 1);
        let hump = letter.is_ascii_uppercase()
            && before.is_some_and(|before| {
                let ends_word = before.is_ascii_lowercase() || before.is_ascii_digit();
                let begins = after.is_some_and(char::is_ascii_lowercase);
                ends_word || (before.is_ascii_uppercase() && begins)
            });
        if hump && !name.is_empty() && !name.ends_with('_') {
            name.push('_');
        }
        name.push(letter.to_ascii_lowercase());
    }
    let name = name.trim_end_matches('_').to_owned();
    name.starts_with(|c: char| c.is_ascii_lowercase())
        .then_some(name)
}

/// `image_name` as `imageName`: what protobuf derives as the JSON name.
#[must_use]
pub fn lower_camel(name: &str) -> String {
    let mut camel = String::with_capacity(name.len());
    let mut raise = false;
    for letter in name.chars() {
        if letter == '_' {
            raise = true;
            continue;
        }
        camel.push(if raise {
            letter.to_ascii_uppercase()
        } else {
            letter
        });
        raise = false;
    }
    camel
}

/// `image_name` as `ImageName`.
#[must_use]
pub fn upper_camel(name: &str) -> String {
    let camel = lower_camel(name);
    let mut letters = camel.chars();
    match letters.next() {
        Some(first) => first.to_ascii_uppercase().to_string() + letters.as_str(),
        None => camel,
    }
}

/// More of one, always another word. It is part of method names and so never changes.
fn plural(name: &str) -> String {
    let vowel = |c: char| "aeiou".contains(c);
    if let Some(stem) = name.strip_suffix('y')
        && !stem.ends_with(vowel)
        && !stem.is_empty()
    {
        return format!("{stem}ies");
    }
    let hisses = ["s", "x", "z", "ch", "sh"];
    if hisses.iter().any(|end| name.ends_with(end)) {
        return format!("{name}es");
    }
    format!("{name}s")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_names_become_lower_snake_case() {
        for (json, name) in [
            ("image", "image"),
            ("imageName", "image_name"),
            ("image-name", "image_name"),
            ("image_name", "image_name"),
            ("ImageName", "image_name"),
            ("HTTPServer", "http_server"),
            ("serverURL", "server_url"),
            ("k8s", "k8s"),
            ("sha256Sum", "sha256_sum"),
            ("_kept", "kept"),
            ("a__b-", "a_b"),
            ("message", "message"),
        ] {
            assert_eq!(lower_snake(json).as_deref(), Some(name), "{json}");
        }
        for json in [
            "", "_", "--", "1st", "_1", "a.b", "a b", "$ref", "ä", "@id", "-a",
        ] {
            assert_eq!(lower_snake(json), None, "{json}");
        }
        assert_eq!(lower_snake(&"n".repeat(NAME + 1)), None);
    }

    #[test]
    fn a_type_gives_the_names_of_its_package_and_messages() {
        let name = PackageName::of("vmware", "capvcdCluster").unwrap();
        assert_eq!(name.package(1), "vmware.capvcd_cluster.v1");
        assert_eq!(
            name.file(1),
            "vmware/capvcd_cluster/v1/capvcd_cluster.proto"
        );
        assert_eq!(name.message(), "CapvcdCluster");
        assert_eq!(
            (name.field(), name.plural_field()),
            ("capvcd_cluster".into(), "capvcd_clusters".into())
        );
        let plural = |nss| PackageName::of("acme", nss).unwrap().plural();
        assert_eq!(
            ["policy", "key", "box", "Foo", "apps"].map(plural),
            ["Policies", "Keys", "Boxes", "Foos", "Appses"]
        );
    }

    #[test]
    fn a_type_called_like_another_field_of_the_answers_has_a_field_of_another_name() {
        let name = PackageName::of("acme", "Task").unwrap();
        assert_eq!(
            (name.field().as_str(), name.message().as_str()),
            ("task_resource", "Task")
        );
    }

    #[test]
    fn packages_of_others_and_names_that_cant_be_said_are_refused() {
        for (vendor, nss) in [
            ("google", "app"),
            ("Coeval", "app"),
            ("grpc", "x"),
            ("buf", "x"),
            ("0", "app"),
            ("acme", "3d"),
        ] {
            let finding = PackageName::of(vendor, nss).unwrap_err();
            assert_eq!(finding.kind, PackageFindingKind::PackageUnsayable);
        }
    }

    #[test]
    fn a_package_reads_back() {
        assert_eq!(split_package("acme.app.v12"), Some(("acme.app", 12)));
        for text in [
            "",
            "v1",
            "acme.v1",
            "acme.app",
            "acme.app.v01",
            "acme.app.v",
            "a.b.c.v1",
            "acme.app.v-1",
        ] {
            assert_eq!(split_package(text), None, "{text}");
        }
    }
}
