//! wasm-pack, without its self-installer and its check for updates.
use clap::Parser as _;

fn main() -> anyhow::Result<()> {
    let cli = wasm_pack::Cli::parse();
    wasm_pack::PBAR.set_log_level(cli.log_level);
    wasm_pack::PBAR.set_quiet(cli.quiet);
    wasm_pack::command::run_wasm_pack(cli.cmd)
}
