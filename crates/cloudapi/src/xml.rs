//! The little XML that clients still want.

use quick_xml::Writer;
use quick_xml::events::{BytesEnd, BytesStart, BytesText, Event};

/// The name space of everything under `/api`.
pub(crate) const VCLOUD: &str = "http://www.vmware.com/vcloud/v1.5";

/// Writes elements. Text and attributes are escaped; what XML can't hold at all is replaced.
pub(crate) struct XmlWriter(Writer<Vec<u8>>);

/// A document.
pub(crate) fn document(content: impl FnOnce(&mut XmlWriter)) -> String {
    let mut xml = XmlWriter(Writer::new(Vec::new()));
    content(&mut xml);
    // Everything that was written came from text.
    let body = String::from_utf8(xml.0.into_inner()).unwrap_or_default();
    format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n{body}\n")
}

/// Control characters can't stand in XML, not even escaped.
fn allowed(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            '\t' | '\n' | '\r' => c,
            c if c < ' ' || matches!(c, '\u{fffe}' | '\u{ffff}') => '\u{fffd}',
            c => c,
        })
        .collect()
}

impl XmlWriter {
    fn start(name: &str, attributes: &[(&str, &str)]) -> BytesStart<'static> {
        let mut start = BytesStart::new(name.to_owned());
        for (key, value) in attributes {
            start.push_attribute((*key, allowed(value).as_str()));
        }
        start
    }

    fn write(&mut self, event: Event<'_>) {
        // Writing to memory can't fail.
        let _ = self.0.write_event(event);
    }

    /// `<name a="b"/>`
    pub(crate) fn empty(&mut self, name: &str, attributes: &[(&str, &str)]) {
        self.write(Event::Empty(Self::start(name, attributes)));
    }

    /// `<name a="b">…</name>`
    pub(crate) fn element(
        &mut self,
        name: &str,
        attributes: &[(&str, &str)],
        content: impl FnOnce(&mut Self),
    ) {
        self.write(Event::Start(Self::start(name, attributes)));
        content(self);
        self.write(Event::End(BytesEnd::new(name)));
    }

    /// `<name>text</name>`
    pub(crate) fn text(&mut self, name: &str, attributes: &[(&str, &str)], text: &str) {
        let text = allowed(text);
        self.element(name, attributes, |xml| {
            xml.write(Event::Text(BytesText::new(&text)));
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_attributes_are_escaped_and_control_characters_replaced() {
        let text = document(|w| {
            w.element("A", &[("b", "\"<&>'\u{1}")], |w| {
                w.text("C", &[], "x < y & \u{0}z");
                w.empty("D", &[]);
            });
        });
        assert!(text.contains("&quot;&lt;&amp;"), "{text}");
        assert!(
            text.contains("<C>x &lt; y &amp; \u{fffd}z</C><D/></A>"),
            "{text}"
        );
    }
}
