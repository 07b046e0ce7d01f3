/** Path of a program that only tests need, installed at first use; `undefined` where there is none for this system. */
export function tool(name: string): string | undefined
/** The version of a program that only tests need. */
export function versionOf(name: string): string
/** The version of React that projects of Next.js install. */
export declare const REACT: string
