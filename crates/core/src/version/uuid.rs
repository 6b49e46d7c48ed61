//! The last part of an entity id.

use std::fmt;

/// 128 bits, written as 8-4-4-4-12 hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Uuid(pub u128);

impl Uuid {
    const GROUPS: [usize; 5] = [8, 4, 4, 4, 12];

    /// Small and capital letters are the same; nothing else may differ.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let mut groups = text.split('-');
        let mut value = 0;
        for length in Self::GROUPS {
            let group = groups.next().filter(|group| group.len() == length)?;
            for digit in group.chars() {
                value = value << 4 | u128::from(digit.to_digit(16)?);
            }
        }
        groups.next().is_none().then_some(Self(value))
    }
}

impl fmt::Display for Uuid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(bits) = *self;
        let (a, b, c) = (bits >> 96, bits >> 80 & 0xffff, bits >> 64 & 0xffff);
        let (d, e) = (bits >> 48 & 0xffff, bits & 0xffff_ffff_ffff);
        write!(f, "{a:08x}-{b:04x}-{c:04x}-{d:04x}-{e:012x}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_printed_can_be_read_in_any_case(bits: u128) {
            let printed = Uuid(bits).to_string();
            prop_assert_eq!(Uuid::parse(&printed), Some(Uuid(bits)));
            prop_assert_eq!(Uuid::parse(&printed.to_uppercase()), Some(Uuid(bits)));
        }
    }

    #[test]
    fn other_spellings_are_refused() {
        let good = "56bacbaa-8ddc-4bef-b7a5-e8f6758aff25";
        assert!(Uuid::parse(good).is_some());
        for text in [
            "",
            "56bacbaa8ddc4befb7a5e8f6758aff25",
            "{56bacbaa-8ddc-4bef-b7a5-e8f6758aff25}",
            "56bacbaa-8ddc-4bef-b7a5-e8f6758aff2",
            "56bacbaa-8ddc-4bef-b7a5-e8f6758aff25-0",
            "+6bacbaa-8ddc-4bef-b7a5-e8f6758aff25",
            "５6bacb-8ddc-4bef-b7a5-e8f6758aff25",
        ] {
            assert_eq!(Uuid::parse(text), None, "{text}");
        }
    }
}
