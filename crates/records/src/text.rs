//! Texts that are cut to fit.

/// A message that fits into a header.
pub fn short(text: &str) -> String {
    const LONGEST: usize = 1_000;
    let mut end = text.len().min(LONGEST);
    // A character of several bytes may lie across the limit.
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or_default().to_owned()
}
