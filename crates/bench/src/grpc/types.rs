//! The type of what is stored, at three versions.

/// Its files, by name.
pub(super) const TYPES: [(&str, &str); 3] = [
    (
        "thing-1.0.yaml",
        r#"
kind: type
version: v1
metadata: {name: "acme:thing:1.0.0"}
spec:
  vendor: acme
  nss: thing
  version: 1.0.0
  schema:
    type: object
    required: [image]
    properties:
      image: {type: string}
      number: {type: integer}
      text: {type: string}
"#,
    ),
    (
        "thing-1.1.yaml",
        r#"
kind: type
version: v1
metadata: {name: "acme:thing:1.1.0"}
spec:
  vendor: acme
  nss: thing
  version: 1.1.0
  schema:
    type: object
    required: [image]
    properties:
      image: {type: string}
      number: {type: integer}
      text: {type: string}
      zone: {type: string}
"#,
    ),
    (
        "thing-2.0.yaml",
        r#"
kind: type
version: v1
metadata: {name: "acme:thing:2.0.0"}
spec:
  vendor: acme
  nss: thing
  version: 2.0.0
  schema:
    type: object
    required: [picture]
    properties:
      picture: {type: string}
      number: {type: integer}
      text: {type: string}
      zone: {type: string}
  conversion:
    from: 1.1.0
    steps: [{rename: {path: /image, to: picture}}]
"#,
    ),
];
