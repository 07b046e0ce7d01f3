//! Signatures inside images: where they are, how they are put in, how they are cut out.
//!
//! Two channels. The *metadata channel* holds the text of a signature in a chunk of its own (PNG
//! `iTXt`, JPEG `APP11`, WebP `XMP`) and covers every byte of the file but that chunk. The
//! *robust channel* holds it in the least significant bits of PNG samples or of quantised JPEG
//! coefficients, where it survives the loss of metadata, and covers what is displayed.
//!
//! Nothing here decides whether a signature is valid: this crate finds and cuts bytes, the core
//! judges. No function panics, whatever the input, and nothing is allocated from a size that a
//! file only declares.
//!
//! The rule that leaves no slack in the metadata channel: a signed file is accepted as such only
//! if embedding the same payload into what [`metadata::scan`] says is the content gives that file again,
//! byte for byte.
#![no_std]
#![forbid(unsafe_code)]
extern crate alloc;
#[cfg(test)]
extern crate std;

pub mod answers;
pub mod crc;
mod digest;
pub mod format;
mod jpeg;
pub mod metadata;
pub mod pieces;
mod png;
pub mod problem;
pub mod robust;
pub mod source;
mod webp;

#[cfg(test)]
#[path = "../tests/common/rounds.rs"]
mod rounds;
