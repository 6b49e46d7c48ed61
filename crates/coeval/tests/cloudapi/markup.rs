//! XML, read as clients read it: elements with attributes, text and children. Name spaces are left
//! out of names.

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

/// An element.
#[derive(Clone, Debug, Default)]
pub(crate) struct Element {
    pub(crate) name: String,
    attributes: Vec<(String, String)>,
    pub(crate) text: String,
    pub(crate) children: Vec<Element>,
}

impl Element {
    pub(crate) fn read(text: &str) -> Self {
        let mut reader = Reader::from_str(text);
        let mut open = vec![Self::default()];
        loop {
            match reader.read_event().expect(text) {
                Event::Start(start) => open.push(Self::of(&start)),
                Event::Empty(start) => {
                    let element = Self::of(&start);
                    open.last_mut().unwrap().children.push(element);
                }
                Event::End(_) => {
                    let element = open.pop().unwrap();
                    open.last_mut().unwrap().children.push(element);
                }
                Event::Text(part) => {
                    open.last_mut().unwrap().text += &part.xml_content().unwrap();
                }
                Event::GeneralRef(part) => {
                    let name = String::from_utf8_lossy(&part).into_owned();
                    let text = match part.resolve_char_ref().unwrap() {
                        Some(one) => one.to_string(),
                        None => quick_xml::escape::resolve_predefined_entity(&name)
                            .unwrap()
                            .to_owned(),
                    };
                    open.last_mut().unwrap().text += &text;
                }
                Event::Eof => break,
                _ => {}
            }
        }
        let document = open.pop().unwrap();
        assert!(open.is_empty(), "something is not closed: {text}");
        document.children.into_iter().next().expect("no element")
    }

    fn of(start: &BytesStart<'_>) -> Self {
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        let attributes = start.attributes().map(|attribute| {
            let attribute = attribute.unwrap();
            let value = attribute.unescape_value().unwrap().into_owned();
            (text(attribute.key.as_ref()), value)
        });
        Self {
            name: text(start.local_name().as_ref()),
            attributes: attributes.collect(),
            ..Self::default()
        }
    }

    /// An attribute; empty if it is not there.
    pub(crate) fn get(&self, name: &str) -> &str {
        let found = self.attributes.iter().find(|(given, _)| given == name);
        found.map_or("", |(_, value)| value)
    }

    /// The only child of that name.
    pub(crate) fn child(&self, name: &str) -> &Self {
        let all = self.all(name);
        assert_eq!(all.len(), 1, "{name} in {self:?}");
        all[0]
    }

    pub(crate) fn all(&self, name: &str) -> Vec<&Self> {
        let children = self.children.iter();
        children.filter(|child| child.name == name).collect()
    }

    /// The address of the only link of that kind.
    pub(crate) fn link(&self, rel: &str, kind: &str) -> &str {
        let links = self.all("Link").into_iter();
        let links = links.filter(|link| link.get("rel") == rel && link.get("type") == kind);
        let links: Vec<_> = links.collect();
        assert_eq!(links.len(), 1, "{rel} {kind} in {self:?}");
        links[0].get("href")
    }
}
