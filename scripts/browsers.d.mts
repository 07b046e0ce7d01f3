/** Path of an installed browser, or undefined; SX_CHROMIUM names one elsewhere. */
export declare function findBrowser(name: 'chromium' | 'firefox' | 'webkit'): string | undefined
/** Arguments for a test browser: in a container, without a sandbox, a GPU or calls home. */
export declare const chromiumArgs: string[]
