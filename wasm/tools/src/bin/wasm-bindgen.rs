//! The wasm-bindgen command line, always with `__wbg_reset_state`: after a trap the loader
//! builds a new instance with it, and wasm-pack has no setting for that flag.
fn main() -> anyhow::Result<()> {
    let args = std::env::args_os();
    wasm_bindgen_cli::wasm_bindgen::run_cli_with_args(args.chain(["--experimental-reset-state-function".into()]))
}
