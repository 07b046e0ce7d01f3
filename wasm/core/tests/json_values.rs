//! Values and objects as code meets them: what they are made of and what they give.
#![allow(clippy::unwrap_used)]

use sx_core::json::{Limits, Object, Value, parse, write, write_into};

/// One value of each kind, and the object that one of them is.
fn kinds() -> ([Value; 6], Object) {
    let object = Object::from([("b", "x".into()), ("a", true.into())]);
    let values = [
        Value::Null,
        true.into(),
        Value::Number(7.5),
        "text".into(),
        vec![Value::Null, false.into()].into(),
        object.clone().into(),
    ];
    (values, object)
}

#[test]
fn a_value_gives_what_it_is_and_nothing_else() {
    let (mut values, object) = kinds();
    let found = |kinds: [bool; 6]| {
        kinds.iter().position(|is| *is).filter(|_| kinds.iter().filter(|is| **is).count() == 1)
    };
    assert_eq!(found(values.clone().map(|value| value.as_bool().is_some())), Some(1));
    assert_eq!(found(values.clone().map(|value| value.as_f64().is_some())), Some(2));
    assert_eq!(found(values.clone().map(|value| value.as_str().is_some())), Some(3));
    assert_eq!(found(values.clone().map(|value| value.as_array().is_some())), Some(4));
    assert_eq!(found(values.clone().map(|mut value| value.as_array_mut().is_some())), Some(4));
    assert_eq!(found(values.clone().map(|value| value.as_object().is_some())), Some(5));
    assert_eq!(found(values.clone().map(|mut value| value.as_object_mut().is_some())), Some(5));
    let [_, bool, number, text, array, map] = &mut values;
    assert_eq!((bool.as_bool(), Value::from(false).as_bool()), (Some(true), Some(false)));
    assert_eq!((number.as_f64(), text.as_str()), (Some(7.5), Some("text")));
    assert_eq!(array.as_array(), Some([Value::Null, Value::Bool(false)].as_slice()));
    assert_eq!(map.as_object(), Some(&object));
    array.as_array_mut().unwrap().push(Value::from(String::from("more")));
    *map.as_object_mut().unwrap().get_mut("b").unwrap() = Value::Null;
    let written = values.map(|value| write(&value)).join(" ");
    assert_eq!(written, r#"null true 7.5 "text" [null,false,"more"] {"a":true,"b":null}"#);
}

#[test]
fn what_is_made_is_what_is_read() {
    let (values, _) = kinds();
    for value in values {
        let mut text = String::from(" ");
        write_into(&value, &mut text);
        assert_eq!(text.trim_start(), write(&value));
        assert_eq!(parse(text.as_bytes(), &Limits::default()), Ok(value));
    }
}

#[test]
fn an_object_counts_its_members_and_finds_them() {
    let (_, mut object) = kinds();
    assert!(Object::new().is_empty() && Object::default() == Object::new() && !object.is_empty());
    assert_eq!((object.len(), Object::new().len()), (2, 0));
    assert!(object.contains("a") && object.contains("b") && !object.contains("") && !object.contains("c"));
    assert_eq!((object.get("a"), object.get("aa")), (Some(&Value::Bool(true)), None));
    assert_eq!(object.get_mut("c"), None);
    assert_eq!(object.insert("a".into(), Value::Null), Some(Value::Bool(true)));
    assert_eq!(object.insert("A".into(), Value::Null), None);
    assert_eq!((object.remove("a"), object.remove("a")), (Some(Value::Null), None));
    assert_eq!(object.iter().map(|(name, _)| name).collect::<Vec<_>>(), ["A", "b"]);
    let last = Object::from([("a", Value::Null), ("a", true.into())]);
    assert_eq!((last.len(), last.get("a")), (1, Some(&Value::Bool(true))));
}
