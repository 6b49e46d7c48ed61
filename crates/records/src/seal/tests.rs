//! What sealing promises.

use crate::seal::context::{Context, Purpose};
use crate::seal::error::{KeyringError, SealError};
use crate::seal::keyring::{KeyId, Keyring};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use coeval_codes::Coded;

const SECRET: &[u8] = b"correct horse";

fn line(id: &str) -> String {
    Keyring::generate_line(&KeyId::new(id).unwrap())
        .unwrap()
        .to_string()
}

fn ring(lines: &[&str]) -> Keyring {
    Keyring::parse(&lines.join("\n")).unwrap()
}

fn of_resource<'c>(parts: &'c [&'c [u8]]) -> Context<'c> {
    Context::new(Purpose::Secret, parts)
}

#[test]
fn what_is_sealed_opens_in_its_own_place() {
    let keys = ring(&[&line("k1")]);
    let parts: [&[u8]; 2] = [b"uuid-1", b"fields"];
    let long = vec![9; 100_000];
    for plaintext in [&b""[..], SECRET, &long] {
        let sealed = keys.seal(&of_resource(&parts), plaintext).unwrap();
        assert!(
            plaintext.is_empty()
                || !sealed
                    .windows(plaintext.len())
                    .any(|part| part == plaintext)
        );
        assert_eq!(keys.open(&of_resource(&parts), &sealed).unwrap(), plaintext);
    }
}

#[test]
fn the_same_bytes_are_never_sealed_alike() {
    let keys = ring(&[&line("k1")]);
    let seal = || keys.seal(&of_resource(&[]), SECRET).unwrap();
    assert_ne!(seal(), seal());
}

#[test]
fn no_bit_can_be_changed_and_no_byte_cut_or_added() {
    let keys = ring(&[&line("k1")]);
    let context = of_resource(&[b"uuid-1"]);
    let sealed = keys.seal(&context, SECRET).unwrap();
    for bit in 0..sealed.len() * 8 {
        let mut altered = sealed.clone();
        altered[bit / 8] ^= 1 << (bit % 8);
        assert!(keys.open(&context, &altered).is_err(), "bit {bit}");
    }
    for length in 0..sealed.len() {
        assert!(
            keys.open(&context, &sealed[..length]).is_err(),
            "{length} bytes"
        );
    }
    let mut longer = sealed.clone();
    longer.push(0);
    assert_eq!(keys.open(&context, &longer), Err(SealError::NotAuthentic));
}

#[test]
fn what_was_moved_to_another_place_does_not_open() {
    let keys = ring(&[&line("k1")]);
    let own: [&[u8]; 2] = [b"uuid-1", b"fields"];
    let sealed = keys.seal(&of_resource(&own), SECRET).unwrap();
    let others: [&[&[u8]]; 5] = [
        &[b"uuid-2", b"fields"],
        &[b"uuid-1", b"history"],
        &[b"uuid-1fields"],
        &[b"uuid-1", b"fields", b""],
        &[b"uuid-", b"1fields"],
    ];
    for other in others {
        assert_eq!(
            keys.open(&of_resource(other), &sealed),
            Err(SealError::NotAuthentic)
        );
    }
    let token = Context::new(Purpose::PageToken, &own);
    assert_eq!(keys.open(&token, &sealed), Err(SealError::NotAuthentic));
}

#[test]
fn a_new_key_seals_and_the_old_one_still_opens() {
    let (old, new) = (line("2029"), line("2030"));
    let context = of_resource(&[b"uuid-1"]);
    let before = ring(&[&old]);
    let sealed_before = before.seal(&context, SECRET).unwrap();
    let both = ring(&[&new, &old]);
    assert_eq!(both.current().as_str(), "2030");
    assert_eq!(both.open(&context, &sealed_before).unwrap(), SECRET);
    let sealed_after = both.seal(&context, SECRET).unwrap();
    assert_eq!(
        before.open(&context, &sealed_after),
        Err(SealError::KeyUnknown)
    );
    assert_eq!(ring(&[&new]).open(&context, &sealed_after).unwrap(), SECRET);
    assert_eq!(
        ring(&[&new]).open(&context, &sealed_before),
        Err(SealError::KeyUnknown)
    );
    // Another key under the same id is not that key.
    assert_eq!(
        ring(&[&line("2029")]).open(&context, &sealed_before),
        Err(SealError::NotAuthentic)
    );
}

#[test]
fn a_keyring_that_is_wrong_says_on_which_line_and_shows_nothing_of_it() {
    let good = line("k1");
    let short = format!("k2:{}", STANDARD.encode([7; 31]));
    for (text, expected) in [
        (String::new(), KeyringError::Empty),
        ("\n# only words\n".into(), KeyringError::Empty),
        (format!("{good}\nhunter2"), KeyringError::Line { line: 2 }),
        ("no spaces:AAAA".into(), KeyringError::Line { line: 1 }),
        (
            format!("{}:AAAA", "k".repeat(33)),
            KeyringError::Line { line: 1 },
        ),
        (":AAAA".into(), KeyringError::Line { line: 1 }),
        ("k2:hunter2!".into(), KeyringError::NotBase64 { line: 1 }),
        (
            format!("\n{short}"),
            KeyringError::Length { line: 2, bytes: 31 },
        ),
        (format!("{good}\n\n{good}"), KeyringError::Twice { line: 3 }),
        ("#".repeat(70_000), KeyringError::TooLarge { limit: 65_536 }),
    ] {
        let error = Keyring::parse(&text).unwrap_err();
        assert_eq!(error, expected);
        assert_eq!(error.code(), coeval_codes::KEYRING_INVALID);
        let said = format!("{error} {error:?} {}", error.advice());
        assert!(!said.contains("hunter2") && !said.contains(&STANDARD.encode([7; 31])));
    }
}

#[test]
fn neither_a_keyring_nor_an_error_shows_a_key_or_what_was_sealed() {
    let text = line("k1");
    let keys = ring(&[&text, &line("k0")]);
    let encoded = text.split_once(':').unwrap().1;
    let bytes = STANDARD.decode(encoded).unwrap();
    let shown = format!("{keys:?}");
    assert_eq!(shown, r#"Keyring { current: "k1", older: ["k0"], .. }"#);
    assert!(!shown.contains(encoded) && !shown.contains(&format!("{bytes:?}")));
    let context = of_resource(&[]);
    let mut sealed = keys.seal(&context, SECRET).unwrap();
    *sealed.last_mut().unwrap() ^= 1;
    let error = keys.open(&context, &sealed).unwrap_err();
    let said = format!("{error} {error:?} {}", error.advice());
    assert!(!said.contains("horse") && !said.contains(encoded));
}

#[test]
fn a_generated_line_is_a_keyring_and_no_two_are_alike() {
    let (first, second) = (line("k1"), line("k1"));
    assert_ne!(first, second);
    assert_eq!(ring(&[&first]).current().as_str(), "k1");
}
