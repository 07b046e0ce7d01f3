//! Judges histories: JSON lines in, JSON lines out (`INTERFACE.md`).

use std::io::{self, BufRead as _, Write as _};

fn main() -> io::Result<()> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    for line in io::stdin().lock().lines() {
        writeln!(out, "{}", sx_agreement::judge::line(&line?))?;
    }
    out.flush()
}
