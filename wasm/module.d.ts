/** Address of the WebAssembly module. */
export declare const moduleUrl: URL
