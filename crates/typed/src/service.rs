//! The service of a package, and the messages that its methods take and answer: the standard
//! methods, the same for every type.

use crate::file::{Cardinality, ProtoField, ProtoMessage, ProtoMethod, ProtoService, ValueType};
use crate::layout::PackageLayout;

const METADATA: &str = "coeval.header.v1.Metadata";
const STATUS: &str = "coeval.header.v1.Status";
const QUARANTINED: &str = "coeval.header.v1.Quarantined";
const DELETED: &str = "coeval.header.v1.Deleted";
const LEFT: &str = "coeval.header.v1.Left";
const WATCH_KIND: &str = "coeval.header.v1.WatchKind";
const FIELD_MASK: &str = "google.protobuf.FieldMask";
const EMPTY: &str = "google.protobuf.Empty";

/// Of the file.
pub(crate) fn about(layout: &PackageLayout) -> String {
    let description = layout
        .description
        .as_deref()
        .map(str::trim)
        .unwrap_or_default();
    let versions = format!(
        "It describes version {} and what came before it.",
        layout.version
    );
    match description {
        "" => versions,
        description => format!("{description}\n\n{versions}"),
    }
}

fn plain(name: &str, number: u32, of: ValueType, comment: &str) -> ProtoField {
    ProtoField {
        name: name.to_owned(),
        json: None,
        number,
        cardinality: Cardinality::Plain,
        of,
        comment: comment.to_owned(),
    }
}

fn many(name: &str, number: u32, of: ValueType, comment: &str) -> ProtoField {
    let cardinality = Cardinality::Repeated;
    ProtoField {
        cardinality,
        ..plain(name, number, of, comment)
    }
}

fn message(name: String, comment: String, fields: Vec<ProtoField>) -> ProtoMessage {
    ProtoMessage {
        name,
        comment,
        fields,
        ..ProtoMessage::default()
    }
}

/// The resource, its content, and what the methods take and answer.
pub(crate) fn messages(layout: &PackageLayout, spec: ProtoMessage) -> Vec<ProtoMessage> {
    let names = &layout.name;
    let (one, all) = (names.message(), names.plural());
    let own = || ValueType::Own(one.clone());
    let app = |comment: &str| plain(&names.field(), 1, own(), comment);
    let request = |method: &str, of: &str, fields| {
        let name = format!("{method}{of}Request");
        message(name, format!("Request for {method}{of}."), fields)
    };
    let response = |method: &str, of: &str, fields| {
        let name = format!("{method}{of}Response");
        message(name, format!("Response for {method}{of}."), fields)
    };
    let named = |comment: &str| {
        let namespace = "The organization; nothing said: the caller's own.";
        vec![
            plain("name", 1, ValueType::String, comment),
            plain("namespace", 2, ValueType::String, namespace),
        ]
    };
    let written = || {
        let kept = "What the write left alone because the message can't say it, as JSON pointers.";
        let dropped = "What went with something that was deleted, as JSON pointers.";
        vec![
            app("As it is now."),
            many("kept", 2, ValueType::String, kept),
            many("dropped", 3, ValueType::String, dropped),
            plain("task", 4, ValueType::String, TASK),
        ]
    };
    let mut deleted = named("The name or id of what is to be deleted.");
    deleted.push(plain(
        "revision",
        3,
        ValueType::String,
        "If given: only at this revision.",
    ));
    vec![
        resource(layout, &spec.name),
        spec,
        request("Create", &one, vec![app("What is to be created.")]),
        response(
            "Create",
            &one,
            vec![
                app("What was created, with all that the server fills in."),
                plain("task", 2, ValueType::String, TASK),
            ],
        ),
        request("Get", &one, named("The name or id.")),
        response("Get", &one, vec![app("As it is now.")]),
        request("List", &all, listing()),
        response(
            "List",
            &all,
            vec![
                many(&names.plural_field(), 1, own(), "The page."),
                plain(
                    "next_page_token",
                    2,
                    ValueType::String,
                    "For the next page; empty on the last one.",
                ),
                many(
                    "quarantined",
                    3,
                    ValueType::Message(QUARANTINED),
                    "What can't be shown, and why.",
                ),
            ],
        ),
        request(
            "Update",
            &one,
            vec![
                app("With the revision that it was read at, or with a mask."),
                plain(
                    "update_mask",
                    2,
                    ValueType::Message(FIELD_MASK),
                    "Only these fields are meant. Paths use the names of this file.",
                ),
            ],
        ),
        response("Update", &one, written()),
        request("Upsert", &one, vec![app("What is to be there.")]),
        response("Upsert", &one, written()),
        request("Delete", &one, deleted),
        request("Watch", &all, watching()),
        response(
            "Watch",
            &all,
            vec![
                plain(
                    "sequence",
                    1,
                    ValueType::String,
                    "Where to resume from, after this.",
                ),
                plain("kind", 2, ValueType::Enum(WATCH_KIND), "What is told."),
                many(
                    "changes",
                    3,
                    ValueType::Own(format!("{one}Change")),
                    "What one atomic write did.",
                ),
            ],
        ),
        change(&one),
    ]
}

const TASK: &str = "If something is still to be done: the id of the task.";

fn resource(layout: &PackageLayout, spec: &str) -> ProtoMessage {
    let names = &layout.name;
    let description = layout.description.clone();
    let comment =
        description.unwrap_or_else(|| format!("A resource of the kind {}.", names.kind()));
    message(
        names.message(),
        comment,
        vec![
            plain("kind", 1, ValueType::String, "The kind of resource."),
            plain(
                "sub_kind",
                2,
                ValueType::String,
                "Free text that tells variations of a kind apart.",
            ),
            plain(
                "version",
                3,
                ValueType::String,
                "The version that the content is written at: v1.1.",
            ),
            plain(
                "metadata",
                4,
                ValueType::Message(METADATA),
                "What all resources have in common.",
            ),
            plain("spec", 5, ValueType::Own(spec.to_owned()), "The content."),
            plain(
                "status",
                6,
                ValueType::Message(STATUS),
                "How it is doing; only in answers.",
            ),
        ],
    )
}

fn listing() -> Vec<ProtoField> {
    vec![
        plain(
            "page_size",
            1,
            ValueType::Int32,
            "The most that is wanted; the server may give less.",
        ),
        plain("page_token", 2, ValueType::String, "From the page before."),
        plain(
            "namespace",
            3,
            ValueType::String,
            "The organization; nothing said: all that the caller sees.",
        ),
        plain("filter", 4, ValueType::String, "Only what matches."),
        plain("order_by", 5, ValueType::String, "In which order."),
    ]
}

fn watching() -> Vec<ProtoField> {
    let labels = ProtoField {
        cardinality: Cardinality::Map,
        ..plain(
            "labels",
            3,
            ValueType::String,
            "Only what has all of these labels.",
        )
    };
    vec![
        plain(
            "namespace",
            1,
            ValueType::String,
            "The organization; nothing said: all that the caller sees.",
        ),
        plain(
            "name_prefix",
            2,
            ValueType::String,
            "Only names that begin so.",
        ),
        labels,
        plain("filter", 4, ValueType::String, "Only what matches."),
        plain(
            "from",
            5,
            ValueType::String,
            "The sequence of the last message that was seen; nothing said: from now on.",
        ),
    ]
}

fn change(one: &str) -> ProtoMessage {
    let fields = vec![
        plain(
            "put",
            1,
            ValueType::Own(one.to_owned()),
            "It was created or changed, and is so now.",
        ),
        plain("deleted", 2, ValueType::Message(DELETED), "It is gone."),
        plain(
            "left",
            3,
            ValueType::Message(LEFT),
            "It is there, and not for this watcher any more.",
        ),
        plain(
            "quarantined",
            4,
            ValueType::Message(QUARANTINED),
            "It is there, and can't be shown.",
        ),
    ];
    ProtoMessage {
        oneof: Some(("change", "What happened.")),
        ..message(
            format!("{one}Change"),
            "A change of one resource.".to_owned(),
            fields,
        )
    }
}

/// The seven methods.
pub(crate) fn service(layout: &PackageLayout) -> ProtoService {
    let names = &layout.name;
    let (one, all) = (names.message(), names.plural());
    let method = |verb: &str, of: &str, comment: &str| ProtoMethod {
        name: format!("{verb}{of}"),
        comment: format!("{verb}{of} {comment}"),
        input: ValueType::Own(format!("{verb}{of}Request")),
        output: ValueType::Own(format!("{verb}{of}Response")),
        streams: false,
    };
    let delete = ProtoMethod {
        output: ValueType::Message(EMPTY),
        ..method("Delete", &one, "removes a resource.")
    };
    let watch = ProtoMethod {
        streams: true,
        ..method(
            "Watch",
            &all,
            "tells of every change, in order and without a gap.",
        )
    };
    ProtoService {
        name: format!("{one}Service"),
        comment: format!(
            "{one}Service reads and writes resources of the type at major {}.",
            layout.major
        ),
        methods: vec![
            method(
                "Create",
                &one,
                "creates a resource; it fails if there is one of that name.",
            ),
            method("Get", &one, "returns one resource."),
            method(
                "List",
                &all,
                "returns a page of resources, and the token of the next page.",
            ),
            method(
                "Update",
                &one,
                "changes a resource. What the message can't say stays as it is.",
            ),
            method(
                "Upsert",
                &one,
                "creates or changes a resource. What the message can't say stays as it is.",
            ),
            delete,
            watch,
        ],
    }
}
