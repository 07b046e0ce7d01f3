import type { Editor } from './surfaces/editor.mjs'
import type { Tables } from './surfaces/tables.mjs'

/** What is wrong with what a program gets that imports the package. */
export declare function runtimeFaults(tables: Tables): Promise<string[]>
/** What is wrong with what is declared and shown. */
export declare function declaredFaults(tables: Tables, editor: Editor): string[]
/** What is wrong with where the operations stand: each once, in the file of its topic. */
export declare function placeFaults(tables: Tables, editor: Editor): string[]
/** Options of operations that their shape does not declare, so that nobody copies them and refuses unknown ones. */
export declare function optionFaults(editor: Editor, folder?: string): string[]
/** What is missing in the lists of operations that people read and that tests run. */
export declare function listFaults(tables: Tables, page: string, rows: Readonly<Record<string, unknown>>): string[]
