// The module for custom schemas, loaded when the first one is used.

import { build } from '#glue/schema/build.js'
import * as glue from '#glue/schema/schema.js'
import { schemaSource } from '#modules/schema/source.js'
import { moduleCall } from '../core.ts'
import { type EffectOf, kind } from '../effects.ts'
import { late } from '../late-module.ts'

/** What evaluates schemas. What is thrown is an `SxError`; after a trap there is a new instance. */
export interface SchemaModule {
  /** Grows by one with every trap: the numbers of schemas before it mean nothing any more. */
  readonly epoch: number
  /** The `$id`s that a schema refers to, itself or through others, and that are not among `others`. */
  missing(main: string, others: readonly string[]): string[]
  /** Loads a schema, given those that it can refer to. */
  load(main: string, others: readonly string[]): { readonly handle: number; readonly id: string }
  /**
   * Checks a document after filling in defaults. Gives its body then, with those members of the header that are in `kept`,
   * or the empty text if there was nothing to fill in. `SchemaViolation`
   */
  complete(handle: number, document: string, limits: string, kept: readonly string[]): string
  /** Checks a document as it is. `SchemaViolation` */
  check(handle: number, document: string, limits: string): void
  free(handle: number): void
}

const SCHEMA_MODULE = /* @__PURE__ */ kind(
  'schemaModule',
  /* @__PURE__ */ late({
    name: 'schema',
    byDefault: schemaSource,
    mark: 'schemaLoad',
    build,
    start: (module) => glue.initSync({ module }),
    calling,
  }),
)

/** The module. Without waiting it can be had where files can be read at once, and after `init({ schema })`. */
export const schemaModule: EffectOf<'schemaModule'> = { kind: SCHEMA_MODULE }

function calling(): SchemaModule {
  let epoch = 0
  const rebuild = (): void => {
    epoch += 1
    glue.__wbg_reset_state()
  }
  const called = <T>(work: () => T): T => moduleCall(work, rebuild)
  return {
    get epoch() {
      return epoch
    },
    missing: (main, others) => called(() => glue.schemaMissing(main, [...others])),
    load: (main, others) =>
      called(() => {
        const handle = glue.schemaLoad(main, [...others])
        return { handle, id: glue.schemaId(handle) }
      }),
    complete: (handle, document, limits, kept) =>
      called(() => glue.schemaComplete(handle, document, limits, [...kept])),
    check: (handle, document, limits) => called(() => glue.schemaCheck(handle, document, limits)),
    free: (handle) => called(() => glue.schemaFree(handle)),
  }
}
