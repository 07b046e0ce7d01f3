/** A compiled `WebAssembly.Module`, which has no members that a type could tell it by. */
export type CompiledModule = object

/** Where the WebAssembly core is: a path or address, a response, its bytes or the compiled module. */
export type CoreSource = string | URL | Request | Response | ArrayBuffer | ArrayBufferView | CompiledModule
