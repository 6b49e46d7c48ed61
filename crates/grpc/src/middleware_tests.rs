use super::*;
use crate::proto::errors::v1::ErrorDetail;
use prost::Message as _;
use tonic::Code;
use tonic_types::StatusExt as _;

fn told(headers: &HeaderMap) -> (Code, String, String) {
    let status = Status::from_header_map(headers).unwrap();
    let info = status.get_details_error_info().unwrap();
    assert_eq!(info.domain, "coeval");
    let all = tonic_types::pb::Status::decode(status.details()).unwrap();
    let detail = all.details.last().unwrap();
    let detail = ErrorDetail::decode(detail.value.as_slice()).unwrap();
    assert!(!detail.advice.is_empty());
    (status.code(), info.reason, status.message().to_owned())
}

#[test]
fn every_status_of_the_library_gets_a_code() {
    let cases = [
        (
            Status::out_of_range(
                "Error, decoded message length too large: found 99 bytes, the limit is: 10 bytes",
            ),
            Code::ResourceExhausted,
            "COEVAL-8020",
        ),
        (
            Status::resource_exhausted("Error decompressing: size limit, of 10 bytes, exceeded"),
            Code::ResourceExhausted,
            "COEVAL-8020",
        ),
        (
            Status::internal("failed to decode Protobuf message: invalid wire type"),
            Code::InvalidArgument,
            "COEVAL-8021",
        ),
        (
            Status::internal("Missing request message."),
            Code::InvalidArgument,
            "COEVAL-8021",
        ),
        (
            Status::internal(
                "protocol error: received message with compressed-flag but no grpc-encoding was specified",
            ),
            Code::Internal,
            "COEVAL-8022",
        ),
        (
            Status::unimplemented("Content is compressed with `br` which isn't supported"),
            Code::Unimplemented,
            "COEVAL-8022",
        ),
        (
            Status::unimplemented(""),
            Code::Unimplemented,
            "COEVAL-8001",
        ),
        (
            Status::deadline_exceeded("x"),
            Code::DeadlineExceeded,
            "COEVAL-8023",
        ),
        (
            Status::internal("a fault inside"),
            Code::Internal,
            "COEVAL-8027",
        ),
        (Status::unknown("h2 reset"), Code::Unknown, "COEVAL-8027"),
    ];
    for (status, code, reason) in cases {
        let mut headers = HeaderMap::new();
        status.add_header(&mut headers).unwrap();
        explain(&mut headers, "/a.B/C");
        let (found, given, message) = told(&headers);
        assert_eq!((found, given.as_str()), (code, reason), "{status:?}");
        if reason == "COEVAL-8020" {
            assert!(message.contains("10 bytes"), "{message}");
        }
        // Whatever is inside stays inside.
        assert!(!message.contains("fault inside"), "{message}");
    }
}

#[test]
fn what_is_ok_or_has_details_stays_as_it_is() {
    for status in [Status::ok(""), status::no_such_method("/x.Y/Z")] {
        let mut headers = HeaderMap::new();
        status.add_header(&mut headers).unwrap();
        let before = headers.clone();
        explain(&mut headers, "/a.B/C");
        assert_eq!(headers, before);
    }
}

#[test]
fn deadlines_are_read_as_grpc_writes_them() {
    let read = |text: &str| {
        let mut headers = HeaderMap::new();
        headers.insert(TIMEOUT, text.parse().unwrap());
        timeout(&headers)
    };
    for (text, is) in [
        ("1H", Duration::from_secs(3_600)),
        ("2M", Duration::from_secs(120)),
        ("99999999S", Duration::from_secs(99_999_999)),
        ("250m", Duration::from_millis(250)),
        ("7u", Duration::from_micros(7)),
        ("0n", Duration::ZERO),
    ] {
        assert_eq!(read(text), Ok(Some(is)), "{text}");
    }
    for text in [
        "",
        "S",
        "1",
        "123456789S",
        "1s",
        "-1S",
        "1.5S",
        " 1S",
        "+1S",
    ] {
        assert!(read(text).is_err(), "{text:?}");
    }
    assert_eq!(timeout(&HeaderMap::new()), Ok(None));
}

#[test]
fn only_the_protobuf_form_of_grpc_is_taken() {
    let is = |kind: &str| {
        let mut headers = HeaderMap::new();
        headers.insert(header::CONTENT_TYPE, kind.parse().unwrap());
        is_grpc(&headers)
    };
    assert!(is("application/grpc") && is("application/grpc+proto; x=y"));
    for other in [
        "application/grpc-web+proto",
        "application/grpc+json",
        "application/json",
        "",
    ] {
        assert!(!is(other), "{other}");
    }
    assert!(!is_grpc(&HeaderMap::new()));
}
