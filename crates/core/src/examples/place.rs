//! Where in a document a value is made. Places are numbers, the same in every document of a
//! schema, so that a decision can be named in one document and changed in the next.

/// The number of a schema's part.
pub(super) type PartNumber = usize;

#[derive(Clone, Copy, Debug)]
pub(super) struct ExamplePlace {
    /// Names the place.
    pub(super) hash: u64,
    /// Levels above it.
    pub(super) depth: usize,
    /// Lists and maps among them.
    pub(super) repeated: usize,
    /// Whether its decisions are tried one by one; of a list's items only the first one's are.
    pub(super) explored: bool,
    /// How often the validator will look at the value for each schema that applies.
    pub(super) times: u64,
}

impl ExamplePlace {
    pub(super) const ROOT: Self = Self {
        hash: 0,
        depth: 0,
        repeated: 0,
        explored: true,
        times: 1,
    };

    /// Of a property that is declared.
    pub(super) fn field(self, name: u64) -> Self {
        Self {
            hash: mix(self.hash, name),
            depth: self.depth + 1,
            ..self
        }
    }

    /// Of one of many: an item, or a value of a map.
    pub(super) fn member(self, number: usize) -> Self {
        Self {
            hash: mix(self.hash, number as u64 ^ 0x006d_656d_6265_7273),
            depth: self.depth + 1,
            repeated: self.repeated + 1,
            explored: self.explored && number == 0,
            ..self
        }
    }
}

/// Two numbers as one, spread over all bits.
pub(super) const fn mix(a: u64, b: u64) -> u64 {
    let mut z = a
        .rotate_left(23)
        .wrapping_add(b)
        .wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// A text as a number, the same in every process.
pub(super) fn hash(text: &str) -> u64 {
    let start = mix(text.len() as u64, 0x7465_7874);
    text.bytes()
        .fold(start, |hash, byte| mix(hash, u64::from(byte)))
}

/// The parts that apply, as a number.
pub(super) fn hash_ids(ids: &[PartNumber]) -> u64 {
    let start = mix(ids.len() as u64, 0x0069_6473);
    ids.iter().fold(start, |hash, id| mix(hash, *id as u64))
}
