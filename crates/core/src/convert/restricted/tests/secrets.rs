use super::*;
use crate::convert::{ConversionObstacle, RecordSecrets, join_secure};

#[test]
fn secure_values_are_taken_out_and_put_back_wherever_they_are() {
    let (public, secrets) = clusters().split_secure(record("2.0.0", stored())).unwrap();
    for secret in ["\"t\"", "\"ta\"", "\"k\""] {
        assert!(!public.content.to_string().contains(secret), "{secret}");
    }
    assert_eq!(
        format!("{secrets:?}"),
        r#"Secrets(["/key", "/nodes/0/token", "/token"])"#
    );
    assert_eq!(join_secure(public, secrets), Ok(record("2.0.0", stored())));
}

#[test]
fn items_of_a_list_keep_their_numbers() {
    let schema = json!({"properties": {"keys": {"items": {"x-vcloud-restricted": "secure"}}}});
    let types = versions(vec![file("1.0.0", &schema, None)]);
    let whole = record("1.0.0", json!({"keys": ["a", null, {"b": [1]}]}));
    let (public, secrets) = types.split_secure(whole.clone()).unwrap();
    assert_eq!(public.content, json!({"keys": [null, null, null]}));
    assert_eq!(join_secure(public, secrets), Ok(whole));
}

#[test]
fn all_that_is_kept_goes_with_the_secrets_if_some_of_it_is_secure() {
    let old = json!({"properties": {"image": {}}});
    for (mark, apart) in [("secure", true), ("private", false)] {
        let new =
            json!({"properties": {"image": {}, "pin": {"x-vcloud-restricted": mark}, "zone": {}}});
        let types = versions(vec![file("1.0.0", &old, None), file("1.1.0", &new, None)]);
        let newer = record("1.1.0", json!({"image": "web", "pin": "1234", "zone": "a"}));
        let whole = types.moved(newer, v("1.0.0")).unwrap();
        let (public, secrets) = types.split_secure(whole.clone()).unwrap();
        let found = (secrets.kept.is_some(), public.kept.is_empty());
        assert_eq!(found, (apart, apart), "{mark}");
        assert_eq!(join_secure(public, secrets), Ok(whole), "{mark}");
    }
}

#[test]
fn secrets_of_another_record_are_refused() {
    let (public, secrets) = clusters().split_secure(record("2.0.0", stored())).unwrap();
    let mut taken = public.clone();
    taken.content["token"] = json!("other");
    let mut shorter = public.clone();
    shorter.content["nodes"] = json!([]);
    for other in [taken, shorter] {
        let refusal = join_secure(other, secrets.clone()).unwrap_err();
        assert_eq!(refusal.reason, ConversionObstacle::Secrets);
        assert_eq!(coeval_codes::Coded::code(&refusal).number(), 3205);
    }
    let odd = RecordSecrets {
        kept: Some(json!({"no": "list"})),
        ..RecordSecrets::default()
    };
    let refusal = join_secure(public, odd).unwrap_err();
    assert_eq!(refusal.reason, ConversionObstacle::Secrets);
}
