// The glue between JavaScript and a module, which wasm-bindgen writes: what it fetches is taken out, and texts are passed faster.
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Stop } from './shared.mjs'

/** What stands in the glue where wasm-bindgen fetches and compiles: the loader of each runtime hands over what is compiled. */
const starting = `function initSync({ module }) {
    if (wasm !== undefined) return wasm;
    return __wbg_finalize_init(new WebAssembly.Instance(module, __wbg_get_imports()), module);
}

async function __wbg_init({ module_or_path }) {
    const instance = await WebAssembly.instantiate(module_or_path, __wbg_get_imports());
    return wasm ?? __wbg_finalize_init(instance, module_or_path);
}

export { initSync, __wbg_init as default };
`

/**
 * What stands there where wasm-bindgen writes ASCII character by character, which takes many times as long. Room is made
 * for ASCII, and for what else there can be once a character of more than one byte has come.
 */
const encoding = `
    let ptr = malloc(len, 1) >>> 0;
    const write = (text, at) => cachedTextEncoder.encodeInto(text, getUint8ArrayMemory0().subarray(ptr + at, ptr + len));
    let { read, written } = write(arg, 0);
    if (read < arg.length) {
        const rest = arg.slice(read);
        ptr = realloc(ptr, len, len = written + rest.length * 3, 1) >>> 0;
        written += write(rest, written).written;
        ptr = realloc(ptr, len, written, 1) >>> 0;
    }
    WASM_VECTOR_LEN = written;
    return ptr;
}
`

const passing = `function passStringToWasm0(arg, malloc, realloc) {
    let len = arg.length;${encoding}`

/**
 * The same for a module that encodes UTF-16 itself, where the runtime gives a function that copies it. It is not worth the
 * calls for short texts, and not the memory, which never shrinks again, for very long ones.
 */
const copying = `let copyUtf16;
export function copyTextsWith(copy) {
    copyUtf16 = copy;
}

export function isCopied(text) {
    return copyUtf16 !== undefined && text.length > 96 && text.length <= ${1 << 21};
}

function passArray16ToWasm0(text, malloc) {
    const ptr = malloc(text.length * 2, 2) >>> 0;
    copyUtf16(text, wasm.memory.buffer, ptr);
    WASM_VECTOR_LEN = text.length;
    return ptr;
}

function passStringToWasm0(arg, malloc, realloc) {
    let len = arg.length;
    if (isCopied(arg)) {
        const retptr = wasm.__wbindgen_add_to_stack_pointer(-16) >>> 0;
        wasm.utf8(retptr, passArray16ToWasm0(arg, malloc), len);
        const view = getDataViewMemory0();
        WASM_VECTOR_LEN = view.getInt32(retptr + 4, true);
        wasm.__wbindgen_add_to_stack_pointer(16);
        return view.getInt32(retptr, true) >>> 0;
    }${encoding}`

/** How each function that answers with a text or an error reads that: a third of the glue, which Node compiles at each start. */
const answering =
  /^ {4}let deferred(\d+)_0;\n {4}let deferred\1_1;\n((?: {4}.*\n)*?) {8}var r0 = .*\n {8}var r1 = .*\n {8}var r2 = .*\n {8}var r3 = .*\n {8}var ptr(\d+) = r0;\n {8}var len\3 = r1;\n {8}if \(r3\) \{\n {12}ptr\3 = 0; len\3 = 0;\n {12}throw takeFromExternrefTable0\(r2\);\n {8}\}\n {8}deferred\1_0 = ptr\3;\n {8}deferred\1_1 = len\3;\n {8}return getStringFromWasm0\(ptr\3, len\3\);\n( {4}\} finally \{\n {8}wasm\.__wbindgen_add_to_stack_pointer\(16\);\n) {8}__wbg_call_guard\(\);\n {8}wasm\.__wbindgen_free\(deferred\1_0, deferred\1_1, 1\);\n/gm

/** The same once for all of them. */
const answered = `
function textOrError(retptr) {
    const view = getDataViewMemory0();
    if (view.getInt32(retptr + 12, true)) throw takeFromExternrefTable0(view.getInt32(retptr + 8, true));
    const ptr = view.getInt32(retptr, true);
    const len = view.getInt32(retptr + 4, true);
    try {
        return getStringFromWasm0(ptr, len);
    } finally {
        wasm.__wbindgen_free(ptr, len, 1);
    }
}
`

const declared = `
/**
 * Has texts copied in UTF-16, and encoded by the module, where \`isCopied\` says so.
 *
 * @param copy writes the code units of a text into memory, little-endian, at an even address
 */
export function copyTextsWith(copy: (text: string, memory: ArrayBuffer, at: number) => void): void;

/** Whether a text is copied rather than encoded by the runtime: only then may \`isWellFormed\` be called. */
export function isCopied(text: string): boolean;
`

const passed = {
  text: /^function passStringToWasm0\(arg, malloc, realloc\) \{\n[^]*?^\}\n/m,
  units: /^function passArray16ToWasm0\(arg, malloc\) \{\n[^]*?^\}\n/m,
}

/** Takes what fetches and compiles out of the glue, which every page would load, and has it write texts at once. */
export function finishGlue(folder, name) {
  const file = join(folder, `${name}.js`)
  const glue = readFileSync(file, 'utf8')
  const begin = glue.indexOf('async function __wbg_load(')
  const encodes = glue.includes('\nexport function utf8(')
  const isKnown = passed.text.test(glue) && passed.units.test(glue) === encodes && begin >= 0
  if (!isKnown || !glue.endsWith('export { initSync, __wbg_init as default };\n'))
    throw new Stop('wasm-bindgen writes its glue in another way; scripts/setup/glue.mjs must know it.')
  const kept = glue
    .slice(0, begin)
    .replace(passed.units, '')
    .replace(answering, '$2        return textOrError(retptr);\n$4')
  writeFileSync(file, kept.replace(passed.text, () => (encodes ? copying : passing)) + answered + starting)
  if (encodes) appendFileSync(join(folder, `${name}.d.ts`), declared)
}
