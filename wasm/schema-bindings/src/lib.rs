//! Custom schemas for JavaScript: one call in, one call out, texts.
//!
//! A failure is thrown as an array of the core's error code, of what was found and of the violations as JSON; anything
//! else that is thrown is a trap.
#![allow(missing_docs)] // each function says what it does in its crate

use std::cell::RefCell;
use std::collections::BTreeMap;
use sx_core::error::{Code, Error, Result};
use sx_core::limits;
use sx_schema::{Refusal, Schema};
use wasm_bindgen::prelude::*;

/// A refusal on its way to JavaScript.
pub struct Failure(Refusal);

impl<E: Into<Refusal>> From<E> for Failure {
    fn from(error: E) -> Self {
        Self(error.into())
    }
}

impl From<Failure> for JsValue {
    fn from(Failure(refusal): Failure) -> Self {
        let details = refusal.details();
        vec![refusal.error.code.name().to_owned(), refusal.error.found, details].into()
    }
}

type Thrown<T> = core::result::Result<T, Failure>;

#[derive(Default)]
struct Table {
    last: u32,
    schemas: BTreeMap<u32, Schema>,
}

thread_local!(static TABLE: RefCell<Table> = RefCell::default());

fn with<T>(handle: u32, work: impl FnOnce(&Schema) -> Thrown<T>) -> Thrown<T> {
    TABLE.with_borrow(|table| match table.schemas.get(&handle) {
        Some(schema) => work(schema),
        None => Err(Error::new(Code::Internal, "A schema of the WebAssembly module was freed.").into()),
    })
}

fn borrowed(texts: &[String]) -> Vec<&str> {
    texts.iter().map(String::as_str).collect()
}

#[wasm_bindgen(js_name = schemaMissing)]
pub fn schema_missing(main: &str, others: Vec<String>) -> Thrown<Vec<String>> {
    Ok(sx_schema::missing(main, &borrowed(&others))?)
}

#[wasm_bindgen(js_name = schemaLoad)]
pub fn schema_load(main: &str, others: Vec<String>) -> Thrown<u32> {
    let schema = Schema::load(main, &borrowed(&others))?;
    let added = TABLE.with_borrow_mut(|table| -> Result<u32> {
        table.last = table.last.checked_add(1).ok_or(Code::Internal)?;
        table.schemas.insert(table.last, schema);
        Ok(table.last)
    });
    Ok(added?)
}

#[wasm_bindgen(js_name = schemaId)]
pub fn schema_id(handle: u32) -> Thrown<String> {
    with(handle, |schema| Ok(schema.id().to_owned()))
}

/// The empty text where nothing was filled in.
#[wasm_bindgen(js_name = schemaComplete)]
pub fn schema_complete(handle: u32, document: &str, limits: &str, kept: Vec<String>) -> Thrown<String> {
    let limits = limits::parse(limits)?;
    with(handle, |schema| Ok(schema.complete(document, &limits, &borrowed(&kept))?.unwrap_or_default()))
}

#[wasm_bindgen(js_name = schemaCheck)]
pub fn schema_check(handle: u32, document: &str, limits: &str) -> Thrown<()> {
    let limits = limits::parse(limits)?;
    with(handle, |schema| Ok(schema.check(document, &limits)?))
}

#[wasm_bindgen(js_name = schemaFree)]
pub fn schema_free(handle: u32) {
    TABLE.with_borrow_mut(|table| table.schemas.remove(&handle));
}
