//! Loading schemas, filling in defaults, checking documents.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::arithmetic_side_effects, missing_docs)]

#[path = "../../media/tests/common/rounds.rs"]
mod rounds;

use sx_core::error::Code;
use sx_core::json::Limits;
use sx_schema::{Schema, missing};

const HEADER: &str = "urn:sx-agent:schemas/header/v1/header.schema.json";
const ID: &str = "https://example.com/schemas/v1/order.schema.json";

/// A custom schema whose second member is this.
fn custom(id: &str, base: &str, own: &str) -> String {
    format!(
        r##"{{"$schema":"http://json-schema.org/draft-07/schema#","$id":"{id}","allOf":[{{"$ref":"{base}"}},{own}]}}"##
    )
}

fn order(own: &str) -> String {
    custom(ID, HEADER, own)
}

/// A document as it is before it is signed, with this body.
fn document(body: &str) -> String {
    let id = "d5e1227c-2919-449c-aa60-df27685d7cd1";
    let version = "06c24bfa-16fe-4817-91d7-3afcc561d58d";
    let date = "2026-01-02T03:04:05.678Z";
    let hash = "0".repeat(64);
    let key = "1IG2tMH7J2wbJZnOf8LJzQitKf7LMvoAElsuDMVM54Y";
    format!(
        r#"{{"$schema":"{ID}",{body}"sxId":"{id}","sxLevel":"raw","sxOriginalDate":"{date}","sxOriginalVersion":"{version}","sxSha256":"{hash}","sxSignature":{{"agentID":"{id}","agentVersion":"{version}","date":"{date}","keyId":"{key}","nonce":"4-EMoyYWk-W70thPo4F0Yw","signature":"","signingAlgorithm":"ed25519"}},"sxType":"document","sxVersion":"{version}","sxVersionDate":"{date}"}}"#
    )
}

fn refused(text: &str, others: &[&str]) -> Option<Code> {
    Schema::load(text, others).err().map(|error| error.code)
}

/// What is wrong with a document of this body: keyword and path of each violation.
fn violations(own: &str, body: &str) -> Vec<(String, String)> {
    let schema = Schema::load(&order(own), &[]).unwrap();
    match schema.check(&document(body), &Limits::default()) {
        Ok(()) => Vec::new(),
        Err(refusal) => {
            assert_eq!(refusal.error.code, Code::SchemaViolation, "{refusal:?}");
            refusal.violations.into_iter().map(|violation| (violation.keyword, violation.path)).collect()
        }
    }
}

/// The body after defaults were filled in.
fn filled(own: &str, others: &[&str], body: &str) -> Option<String> {
    let schema = Schema::load(&order(own), others).unwrap();
    schema.complete(&document(body), &Limits::default(), &[]).unwrap()
}

#[test]
fn a_document_that_fits_is_left_alone() {
    let own =
        r#"{"type":"object","properties":{"amount":{"type":"number","minimum":0}},"required":["amount"]}"#;
    assert_eq!(violations(own, r#""amount":1,"#), []);
    assert_eq!(filled(own, &[], r#""amount":1,"#), None);
    assert_eq!(violations(own, r#""amount":-1,"#), [("minimum".into(), "/amount".into())]);
    assert_eq!(violations(own, ""), [("required".into(), String::new())]);
    assert_eq!(
        violations("true", r#""sxOther":1,"#).first().map(|(keyword, _)| keyword.as_str()),
        Some("propertyNames")
    );
}

#[test]
fn defaults_reach_through_what_always_applies() {
    let own = r##"{"properties":{
        "paid":{"type":"boolean","default":false},
        "to":{"$ref":"#/$defs/address"},
        "lines":{"type":"array","items":{"properties":{"count":{"default":1}}}}},
        "if":{"properties":{"paid":{"default":true}}},"then":{"properties":{"then":{"default":1}}},
        "anyOf":[{"properties":{"any":{"default":1}}}],"not":{"properties":{"not":{"default":1}},"required":["x"]}}"##;
    let own = own.replace('\n', "");
    let schema = order(&own).replace(
        r#","allOf""#,
        r#","$defs":{"address":{"properties":{"country":{"default":"DE"}}}},"allOf""#,
    );
    let schema = Schema::load(&schema, &[]).unwrap();
    let body = r#""lines":[{},{"count":2}],"to":{},"#;
    assert_eq!(
        schema.complete(&document(body), &Limits::default(), &[]).unwrap().unwrap(),
        r#"{"lines":[{"count":1},{"count":2}],"paid":false,"to":{"country":"DE"}}"#
    );
    let header = r#"{"properties":{"sxRegistration":{"default":1},"a":{"default":1}}}"#;
    assert_eq!(filled(header, &[], "").unwrap(), r#"{"a":1}"#);
    let names = r#"{"properties":{"__proto__":{"default":{"polluted":1}},"constructor":{"default":0}}}"#;
    assert_eq!(filled(names, &[], "").unwrap(), r#"{"__proto__":{"polluted":1},"constructor":0}"#);
}

#[test]
fn what_extends_a_schema_has_the_last_word() {
    let base = custom(
        "https://example.com/base.json",
        HEADER,
        r#"{"properties":{"a":{"default":1},"b":{"default":1}}}"#,
    );
    let own = custom(ID, "https://example.com/base.json", r#"{"properties":{"a":{"default":2}}}"#);
    let schema = Schema::load(&own, &[&base]).unwrap();
    let made = schema.complete(&document(""), &Limits::default(), &["sxType"]).unwrap().unwrap();
    assert_eq!(made, r#"{"a":2,"b":1,"sxType":"document"}"#);
}

#[test]
fn a_default_that_does_not_fit_is_a_violation() {
    let schema = Schema::load(&order(r#"{"properties":{"a":{"type":"string","default":1}}}"#), &[]).unwrap();
    let refusal = schema.complete(&document(""), &Limits::default(), &[]).unwrap_err();
    assert_eq!(refusal.error.code, Code::SchemaViolation);
    assert_eq!(
        refusal.details(),
        r#"[{"keyword":"type","message":"is not of the type string","path":"/a"}]"#
    );
}

#[test]
fn chains_end_at_the_header() {
    let base = custom("https://example.com/schemas/v1/base.schema.json", HEADER, r#"{"required":["a"]}"#);
    let own = custom(ID, "base.schema.json", r#"{"required":["b"]}"#);
    assert_eq!(missing(&own, &[]).unwrap(), ["https://example.com/schemas/v1/base.schema.json"]);
    assert_eq!(missing(&own, &[&base]).unwrap(), [""; 0]);
    assert_eq!(refused(&own, &[]), Some(Code::RefNotAllowed));
    let schema = Schema::load(&own, &[&base]).unwrap();
    assert_eq!(schema.id(), ID);
    let refusal = schema.check(&document(""), &Limits::default()).unwrap_err();
    assert_eq!(refusal.violations.len(), 2);
    let back = custom("https://example.com/schemas/v1/base.schema.json", ID, "true");
    assert_eq!(refused(&own, &[&back]), Some(Code::SchemaLimit));
    let loose = base.replace("allOf", "anyOf");
    assert_eq!(refused(&own, &[&loose]), Some(Code::InvalidSchema));
}

#[test]
fn schemas_that_are_none_are_refused() {
    let good = order("true");
    assert_eq!(refused(&good, &[]), None);
    for pattern in ["a{99999}", r"\\p{L}{140}", r"^.{1,3300}$", r"[^\\p{Lu}\\p{Nd}]{40}"] {
        assert_eq!(refused(&order(&format!(r#"{{"pattern":"{pattern}"}}"#)), &[]), None, "{pattern}");
    }
    let cases = [
        ("{", Code::InvalidSchema),
        ("[]", Code::InvalidSchema),
        ("true", Code::InvalidSchema),
        (r#"{"a":1,"a":2}"#, Code::InvalidSchema),
        (&good.replace("draft-07", "draft-04"), Code::InvalidSchema),
        (
            &good.replace(
                "http://json-schema.org/draft-07/schema#",
                "https://json-schema.org/draft/2020-12/schema",
            ),
            Code::InvalidSchema,
        ),
        (&good.replace("$schema", "schema"), Code::InvalidSchema),
        (&good.replace(ID, "order.schema.json"), Code::InvalidSchema),
        (&good.replace(ID, "https://example.com/#order"), Code::InvalidSchema),
        (&good.replace(ID, HEADER), Code::InvalidSchema),
        (&good.replace(ID, &"https://example.com/".repeat(51)), Code::InvalidSchema),
        (&good.replace("allOf", "anyOf"), Code::InvalidSchema),
        (&order(r#"{"type":"strin"}"#), Code::InvalidSchema),
        (&order(r#"{"required":"a"}"#), Code::InvalidSchema),
        (&order(r#"{"format":"ipv4"}"#), Code::InvalidSchema),
        (&order(r#"{"minimum":"1"}"#), Code::InvalidSchema),
        (&order(r#"{"$schema":"http://json-schema.org/draft-04/schema#"}"#), Code::InvalidSchema),
        (&order(&format!(r#"{{"$id":"{HEADER}"}}"#)), Code::InvalidSchema),
        (&order(r#"{"pattern":"(?=a)"}"#), Code::UnsafePattern),
        (&order(r#"{"patternProperties":{"(a)\\1":true}}"#), Code::UnsafePattern),
        (&order(r#"{"pattern":"(a{1000}){1000}"}"#), Code::UnsafePattern),
        (&order(r#"{"pattern":"a{100001}"}"#), Code::UnsafePattern),
        (&order(r#"{"pattern":"\\p{L}{200}"}"#), Code::UnsafePattern),
        (&order(r#"{"pattern":"("}"#), Code::UnsafePattern),
    ];
    for (text, code) in cases {
        assert_eq!(refused(text, &[]), Some(code), "{text}");
    }
    let other = custom("https://example.com/other.json", HEADER, "true");
    let third = custom("https://example.com/other.json", HEADER, "{}");
    assert_eq!(refused(&good, &[&other, &other]), None);
    assert_eq!(refused(&good, &[&other, &third]), Some(Code::InvalidSchema));
}

#[test]
fn references_stay_among_what_is_handed_in() {
    for reference in [
        "http://169.254.169.254/",
        "https://example.com/other.json",
        "file:///etc/passwd",
        "../../k.json",
        "/etc/passwd",
        "#/nowhere",
        "#nowhere",
        "http://json-schema.org/draft-04/schema#",
        "http://json-schema.org/draft-07/schema#",
        "https://json-schema.org/draft/2020-12/schema",
        "urn:sx-agent:schemas/agent/v1/agent.schema.json",
        "urn:sx-agent:schemas/header/v2/header.schema.json",
        "http://[",
    ] {
        let code = refused(&order(&format!(r#"{{"properties":{{"a":{{"$ref":"{reference}"}}}}}}"#)), &[]);
        assert_eq!(code, Some(Code::RefNotAllowed), "{reference}");
    }
    // What nobody refers to may refer to anything; the same in the place of a value is none.
    let others = custom("https://example.com/other.json", HEADER, r#"{"$ref":"http://169.254.169.254/"}"#);
    assert_eq!(refused(&order("true"), &[&others]), None);
    assert_eq!(refused(&order(r#"{"enum":[{"$ref":"http://169.254.169.254/"}]}"#), &[]), None);
}

#[test]
fn endless_schemas_are_refused() {
    let doubling: Vec<String> = (0..30)
        .map(|n| {
            format!(
                r##""a{n}":{{"allOf":[{{"$ref":"#/$defs/a{m}"}},{{"$ref":"#/$defs/a{m}"}}]}}"##,
                m = n + 1
            )
        })
        .collect();
    let defs = |defs: &str, own: &str| {
        order(own)
            .replace(r#","allOf":[{"$ref":"urn"#, &format!(r#","$defs":{{{defs}}},"allOf":[{{"$ref":"urn"#))
    };
    let chain: Vec<String> =
        (0..5000).map(|n| format!(r##""a{n}":{{"$ref":"#/$defs/a{m}"}}"##, m = n + 1)).collect();
    let many: Vec<String> = (0..10_000).map(|n| format!(r#""a{n}":true"#)).collect();
    for text in [
        defs(&format!(r#"{},"a30":true"#, doubling.join(",")), r##"{"$ref":"#/$defs/a0"}"##),
        order(r##"{"$ref":"#"}"##),
        order(r##"{"anyOf":[{"$ref":"#"},true]}"##),
        order(r##"{"not":{"if":{"$ref":"#/allOf/1"}}}"##),
        order(r##"{"dependencies":{"a":{"$ref":"#"}}}"##),
        defs(r##""a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}"##, r##"{"$ref":"#/$defs/a"}"##),
        defs(&format!(r#"{},"a5000":true"#, chain.join(",")), r##"{"$ref":"#/$defs/a0"}"##),
        order(&format!(r#"{{"properties":{{{}}}}}"#, many.join(","))),
        order(&format!("{}true{}", r#"{"not":"#.repeat(127), "}".repeat(127))),
        format!("{}{}", order("true"), " ".repeat(1 << 20)),
    ] {
        assert_eq!(
            refused(&text, &[]),
            Some(Code::SchemaLimit),
            "{}",
            text.chars().take(200).collect::<String>()
        );
    }
}

#[test]
fn recursion_through_parts_of_the_document_works() {
    let schema = order(r##"{"properties":{"tree":{"$ref":"#/$defs/node"}}}"##).replace(
        r#","allOf""#,
        r##","$defs":{"node":{"type":"object","properties":{"name":{"type":"string"},"children":{"type":"array","items":{"$ref":"#/$defs/node"}}},"required":["name"]}},"allOf""##,
    );
    let schema = Schema::load(&schema, &[]).unwrap();
    let check = |body: &str| schema.check(&document(body), &Limits::default());
    assert!(check(r#""tree":{"name":"a","children":[{"name":"b"},{"name":"c","children":[]}]},"#).is_ok());
    let refusal = check(r#""tree":{"name":"a","children":[{"name":"b","children":[{}]}]},"#).unwrap_err();
    assert_eq!(refusal.violations[0].path, "/tree/children/0/children/0");
}

#[test]
fn what_would_take_for_ever_is_refused() {
    let own = r##"{"properties":{"a":{"allOf":[{"$ref":"#"},{"$ref":"#/$defs/again"}]}}}"##;
    let schema = order(own).replace(r#","allOf":[{"$ref":"urn"#, r##","$defs":{"again":{"properties":{"a":{"allOf":[{"$ref":"#/$defs/again"},{"$ref":"#/$defs/again"}]}}}},"allOf":[{"$ref":"urn"##);
    let schema = schema.replace(r##"{"$ref":"#"}"##, "true");
    let schema = Schema::load(&schema, &[]).unwrap();
    let nested = |levels: usize| format!(r#"{}1{}"#, r#"{"a":"#.repeat(levels), "}".repeat(levels));
    let check =
        |levels: usize| schema.check(&document(&format!(r#""a":{},"#, nested(levels))), &Limits::default());
    assert!(check(5).is_ok());
    assert_eq!(check(100).unwrap_err().error.code, Code::SchemaLimit);
    // Defaults that make room for further ones.
    let own = r##"{"properties":{"a":{"default":{},"allOf":[{"$ref":"#/allOf/1"}]}}}"##;
    let schema = Schema::load(&order(own), &[]).unwrap();
    let refusal = schema.complete(&document(""), &Limits::default(), &[]).unwrap_err();
    assert_eq!(refusal.error.code, Code::SchemaLimit);
}

#[test]
fn at_most_a_hundred_violations_are_told() {
    let own = r#"{"properties":{"a":{"items":{"type":"string"}}}}"#;
    let body = format!(r#""a":[{}],"#, vec!["1"; 500].join(","));
    assert_eq!(violations(own, &body).len(), 100);
}

/// A schema with these definitions, whose second member is `own`.
fn with_defs(defs: &str, own: &str) -> String {
    order(own).replace(r#","allOf":[{"$ref":"urn"#, &format!(r#","$defs":{{{defs}}},"allOf":[{{"$ref":"urn"#))
}

/// The code of what is wrong with a document of this body.
fn broken(schema: &str, body: &str) -> Option<Code> {
    let schema = Schema::load(schema, &[]).unwrap();
    schema.complete(&document(body), &Limits::default(), &[]).err().map(|refusal| refusal.error.code)
}

#[test]
fn an_empty_reference_is_one_to_the_whole() {
    let own = r#"{"properties":{"a":{"$ref":""}}}"#;
    assert_eq!(broken(&order(own), r#""a":1,"#), Some(Code::SchemaViolation));
    let other = custom("https://example.com/other.json", HEADER, r#"{"properties":{"b":{"$ref":""}}}"#);
    let schema = custom(ID, "https://example.com/other.json", "true");
    let schema = Schema::load(&schema, &[&other]).unwrap();
    let refusal = schema.check(&document(r#""b":1,"#), &Limits::default()).unwrap_err();
    assert_eq!(refusal.error.code, Code::SchemaViolation);
    assert_eq!(broken(&order(r#"{"properties":{"a":{"const":{"$ref":""}}}}"#), r#""a":{"$ref":""},"#), None);
}

#[test]
fn every_part_is_held_against_the_meta_schema() {
    let bad = [
        r#"{"uniqueItems":"true"}"#,
        r#"{"uniqueItems":1}"#,
        r#"{"uniqueItems":null}"#,
        r#"{"items":"x"}"#,
        r#"{"items":3}"#,
        r#"{"items":null}"#,
        r#"{"items":[]}"#,
        r#"{"propertyNames":5}"#,
        r#"{"multipleOf":0}"#,
        r#"{"multipleOf":-1}"#,
        r#"{"anyOf":[]}"#,
        r#"{"anyOf":[1]}"#,
        r#"{"type":[]}"#,
        r#"{"enum":1}"#,
        r#"{"properties":{"a":{"minimum":"1"}}}"#,
        r#"{"properties":{"a":1}}"#,
        r#"{"$defs":{"a":{"minLength":-1}}}"#,
        r#"{"$ref":1}"#,
        r#"{"required":"a"}"#,
        "5",
        r#"[true]"#,
    ];
    for part in bad {
        let other = custom("https://example.com/other.json", HEADER, part);
        let schema = custom(ID, "https://example.com/other.json", "true");
        let to_unknown =
            order(&format!(r##"{{"unknown":{{"a":{part}}},"allOf":[{{"$ref":"#/allOf/1/unknown/a"}}]}}"##));
        for (schema, others) in [
            (order(part), &[][..]),
            (with_defs(&format!(r#""a":{part}"#), r##"{"$ref":"#/$defs/a"}"##), &[]),
            (to_unknown, &[]),
            (schema, &[other.as_str()]),
        ] {
            assert_eq!(refused(&schema, others), Some(Code::InvalidSchema), "{schema} {others:?}");
        }
    }
    // Neither what stands beside a `$ref` nor a schema that is not referred to is left out.
    let beside = r##"{"$ref":"#/allOf/0","properties":{"a":{"type":"strin"}}}"##;
    assert_eq!(refused(&order(beside), &[]), Some(Code::InvalidSchema));
    let unused = custom("https://example.com/other.json", HEADER, r#"{"minLength":-1}"#);
    assert_eq!(refused(&order("true"), &[&unused]), Some(Code::InvalidSchema));
    let error = Schema::load(&with_defs(r#""a":{"multipleOf":0}"#, "true"), &[]).err().unwrap();
    assert!(error.found.contains("/$defs/a/multipleOf"), "{}", error.found);
}

#[test]
fn what_costs_more_than_a_step_is_counted() {
    let list = |item: &str, count: usize| format!(r#""a":[{}],"#, vec![item; count].join(","));
    let items = |own: &str| order(&format!(r#"{{"properties":{{"a":{{"items":{own}}}}}}}"#));
    let join =
        |part: &dyn Fn(usize) -> String, count: usize| (0..count).map(part).collect::<Vec<_>>().join(",");
    let limit = Some(Code::SchemaLimit);
    // Options that are compared one by one, but not those that are looked up.
    let halves = join(&|n| format!("{n}.5"), 20_000);
    let whole = join(&|n| n.to_string(), 20_000);
    let lists = join(&|n| format!("[1,2,3,4,5,6,7,{n}]"), 2_000);
    for (options, item, count, code) in [
        (&halves, "-0.5", 10_000, limit),
        (&halves, "-0.5", 100, None),
        (&whole, "-1", 10_000, None),
        (&lists, "[1,2,3,4,5,6,7,-1]", 10_000, limit),
    ] {
        assert_eq!(broken(&items(&format!(r#"{{"not":{{"enum":[{options}]}}}}"#)), &list(item, count)), code);
    }
    let compared = format!(r#"{{"allOf":[{}]}}"#, join(&|_| r#"{"uniqueItems":true}"#.into(), 1_000));
    let own = order(&format!(r#"{{"properties":{{"a":{compared}}}}}"#));
    assert_eq!(broken(&own, &list("[]", 50_000)), limit);
    // Subschemas of each item; names that are looked for.
    let many = format!(r#"{{"allOf":[{}]}}"#, join(&|_| "true".into(), 9_000));
    assert_eq!(broken(&items(&many), &list("1", 100_000)), limit);
    let named = format!(r#"{{"properties":{{{}}}}}"#, join(&|n| format!(r#""p{n}":true"#), 9_000));
    assert_eq!(broken(&items(&named), &list("{}", 100_000)), limit);
    // Patterns: the longer the text, the shorter they are.
    let slow = |places: usize| {
        order(&format!(r#"{{"properties":{{"a":{{"pattern":"[ab]*a[ab]{{{places}}}c"}}}}}}"#))
    };
    let text = |length: usize| format!(r#""a":"{}","#, "ab".repeat(length / 2));
    assert_eq!(broken(&slow(8_000), &text(1_000_000)), limit);
    assert_eq!(broken(&slow(8_000), &text(2_000)), Some(Code::SchemaViolation));
    let short = order(r#"{"properties":{"a":{"pattern":"^.{1,3000}$"}}}"#);
    assert_eq!(broken(&short, &text(1_000_000)), Some(Code::SchemaViolation));
    let names = r#"{"properties":{"a":{"patternProperties":{"[ab]*a[ab]{8000}c":true}}}}"#;
    assert_eq!(broken(&order(names), &format!(r#""a":{{"{}":1}},"#, "ab".repeat(500_000))), limit);
    let names = r#"{"properties":{"a":{"propertyNames":{"not":{"pattern":"[ab]*a[ab]{8000}c"}}}}}"#;
    assert_eq!(broken(&order(names), &format!(r#""a":{{"{}":1}},"#, "ab".repeat(500_000))), limit);
    // All patterns together.
    let large = join(&|n| format!(r#"{{"pattern":"a{{99000}}{n}"}}"#), 6);
    assert_eq!(refused(&order(&format!(r#"{{"allOf":[{large}]}}"#)), &[]), limit);
}

#[test]
fn a_large_document_may_take_more() {
    let own = r#"{"properties":{"a":{"pattern":"^(?:[A-Za-z0-9+/]{4})*$"},"b":{"items":{"properties":{"c":{"type":"number"}}}}}}"#;
    let body =
        format!(r#""a":"{}","b":[{}],"#, "abcd".repeat(6_000_000), vec![r#"{"c":1}"#; 200_000].join(","));
    assert_eq!(broken(&order(own), &body), None);
}

#[test]
fn levels_are_counted() {
    // Without optimisations a level takes some times the stack.
    let large = std::thread::Builder::new().stack_size(32 << 20);
    large.spawn(count_levels).unwrap().join().unwrap();
}

fn count_levels() {
    let chain = |length: usize| {
        let links: Vec<String> = (1..length)
            .map(|n| format!(r##""c{n}":{{"allOf":[{{"$ref":"#/$defs/c{}"}}]}}"##, n - 1))
            .collect();
        let last = format!("#/$defs/c{}", length - 1);
        let first = format!(r#""c0":{{"properties":{{"n":{{"$ref":"{last}"}}}}}},{}"#, links.join(","));
        with_defs(&first, &format!(r#"{{"properties":{{"a":{{"$ref":"{last}"}}}}}}"#))
    };
    let nested = |levels: usize| format!(r#""a":{}1{},"#, r#"{"n":"#.repeat(levels), "}".repeat(levels));
    assert_eq!(broken(&chain(4), &nested(120)), None);
    assert_eq!(broken(&chain(30), &nested(15)), None);
    assert_eq!(broken(&chain(30), &nested(100)), Some(Code::SchemaLimit));
    // Where there is something to fill in, that comes first.
    let filled = chain(30).replace(r#""n":{"#, r#""m":{"default":1},"n":{"#);
    assert_eq!(broken(&filled, &nested(100)), Some(Code::SchemaLimit));
}

#[test]
fn defaults_take_bounded_time_and_memory() {
    let filling = |depth: usize| {
        let defs: Vec<String> = (1..=depth)
            .map(|n| {
                format!(
                    r##""d{n}":{{"allOf":[{{"$ref":"#/$defs/d{m}"}},{{"$ref":"#/$defs/d{m}"}}]}}"##,
                    m = n - 1
                )
            })
            .collect();
        let properties: Vec<String> =
            (0..100).map(|n| format!(r##""p{n}":{{"$ref":"#/$defs/d{depth}"}}"##)).collect();
        let own = format!(
            r#"{{"properties":{{"a":{{"items":{{"properties":{{{},"z":{{"default":1}}}}}}}}}}}}"#,
            properties.join(",")
        );
        let body = format!(r#""a":[{}],"#, vec!["{}"; 1_000].join(","));
        let schema = with_defs(&format!(r#""d0":{{}},{}"#, defs.join(",")), &own);
        move || assert_eq!(broken(&schema, &body), None)
    };
    // 128 times as long if a schema is looked into as often as it is named.
    rounds::is_within(24, filling(4), filling(11)).unwrap();
    // As many names as are looked for in vain are steps too.
    let names: Vec<String> = (0..9_000).map(|n| format!(r#""p{n}":{{}}"#)).collect();
    let own = format!(
        r#"{{"default":1,"properties":{{"a":{{"items":{{"properties":{{{}}}}}}}}}}}"#,
        names.join(",")
    );
    let body = format!(r#""a":[{}],"#, vec!["{}"; 2_000].join(","));
    assert_eq!(broken(&order(&own), &body), Some(Code::SchemaLimit));
    // What is filled in stays within the limits of the call.
    let long = "x".repeat(900_000);
    let own =
        format!(r#"{{"properties":{{"a":{{"items":{{"properties":{{"d":{{"default":"{long}"}}}}}}}}}}}}"#);
    let schema = Schema::load(&order(&own), &[]).unwrap();
    let body = |count: usize| document(&format!(r#""a":[{}],"#, vec!["{}"; count].join(",")));
    let code = |count: usize, limits: &Limits| {
        schema.complete(&body(count), limits, &[]).err().map(|refusal| refusal.error.code)
    };
    assert_eq!(code(500, &Limits::default()), Some(Code::LimitExceeded));
    assert_eq!(code(2, &Limits::default()), None);
    assert_eq!(code(2, &Limits { bytes: 1 << 20, ..Limits::default() }), Some(Code::LimitExceeded));
    assert_eq!(code(20, &Limits { members: 50, ..Limits::default() }), Some(Code::LimitExceeded));
    assert_eq!(code(20, &Limits { members: 70, ..Limits::default() }), None);
}

#[test]
fn patterns_of_names_mean_what_those_of_texts_mean() {
    let own = r#"{"properties":{"a":{"patternProperties":{"^.$":{"type":"number"},"^[^\\n\\r\\u2028\\u2029]$":{"minimum":1},"^\\d$":false,"^[0-9]$":{}},"additionalProperties":false}}}"#;
    assert_eq!(violations(own, r#""a":{"b":1},"#), []);
    assert_eq!(violations(own, r#""a":{"b":"x"},"#).len(), 1);
    assert_eq!(violations(own, r#""a":{"b":0},"#), [("minimum".into(), "/a/b".into())]);
    assert_eq!(violations(own, r#""a":{"\r":1},"#), [("additionalProperties".into(), "/a".into())]);
    assert_eq!(violations(own, r#""a":{"1":1},"#).len(), 1);
    let through = |name: &str, reference: &str| {
        order(&format!(
            r##"{{"anyOf":[{{"patternProperties":{{"{name}":true}}}},{{"$ref":"#/allOf/1/anyOf/0/patternProperties/{reference}"}}]}}"##
        ))
    };
    assert_eq!(refused(&through("^ab", "%5Eab"), &[]), None);
    assert_eq!(refused(&through("^ab", "^ab"), &[]), Some(Code::RefNotAllowed)); // no URI
    assert_eq!(refused(&through("a.b", "a.b"), &[]), Some(Code::RefNotAllowed));
    let schema = Schema::load(&order(r#"{"properties":{"a":{"pattern":"^\\d.$"}}}"#), &[]).unwrap();
    let refusal = schema.check(&document(r#""a":"1\r","#), &Limits::default()).unwrap_err();
    assert_eq!(refusal.violations[0].message, r"does not match the pattern ^\d.$");
}

#[test]
fn what_has_two_meanings_is_refused() {
    let beside = order("true").replace(r#","allOf""#, r##","$defs":{"a":true},"$ref":"#/$defs/a","allOf""##);
    assert_eq!(refused(&beside, &[]), Some(Code::InvalidSchema));
    let leaf = custom("https://example.com/leaf.json", ID, "true");
    assert_eq!(refused(&leaf, &[&beside]), Some(Code::InvalidSchema));
    let twice = |second: &str| {
        order(&format!(
            r#"{{"anyOf":[{{"$id":"part.json","minimum":1}},{{"$id":"part.json","minimum":{second}}}]}}"#
        ))
    };
    assert_eq!(refused(&twice("1"), &[]), None);
    assert_eq!(refused(&twice("2"), &[]), Some(Code::InvalidSchema));
    assert_eq!(refused(&twice("2").replace("part.json", "#part"), &[]), Some(Code::InvalidSchema));
    let other =
        custom("https://example.com/schemas/v1/other.json", HEADER, r#"{"$id":"part.json","minimum":2}"#);
    let own = r#"{"anyOf":[{"$id":"part.json","minimum":1},{"$ref":"other.json"}]}"#;
    assert_eq!(refused(&order(own), &[&other]), Some(Code::InvalidSchema));
}

#[test]
fn nothing_is_filled_in_below_additional_items() {
    let own = r#"{"properties":{"a":{"items":[{"properties":{"x":{"default":1}}}],"additionalItems":{"properties":{"y":{"default":2}}}}}}"#;
    assert_eq!(filled(own, &[], r#""a":[{},{}],"#).unwrap(), r#"{"a":[{"x":1},{}]}"#);
}
