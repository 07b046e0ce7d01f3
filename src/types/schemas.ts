/**
 * A custom schema (protocol, section 22): JSON Schema of draft-07 whose `allOf` begins with a `$ref` to the header schema
 * or to another custom schema. The path of a file, where there are files; the schema itself as a plain object, as JSON
 * text (a string that begins with `{`), as bytes of that, or as a `Blob` or `File`, which synchronous functions do not read.
 */
export type SchemaSource = string | object | Uint8Array | Blob

/** Which custom schema a document has to fit. */
export interface SchemaOptions {
  /** The schema. Of one that is a file the `.json` files in the same folder can be referred to by their `$id`. */
  schema?: SchemaSource
  /** Other schemas that it refers to by their `$id`. Nothing else is ever read, or fetched. */
  schemas?: readonly SchemaSource[]
}

/**
 * A schema of another library, such as zod, valibot or arktype, by the interface Standard Schema (version 1). `T` is the
 * type of what it makes of the data.
 */
export interface StandardSchema<T = unknown> {
  readonly '~standard': {
    readonly version: 1
    /** The library's name. */
    readonly vendor: string
    /** Checks a value: gives what it makes of it, or what is wrong. */
    readonly validate: (value: unknown) => StandardOutcome<T> | Promise<StandardOutcome<T>>
  }
}

/** What a {@link StandardSchema} says of a value. */
export type StandardOutcome<T> =
  | { readonly value: T; readonly issues?: undefined }
  | {
      readonly issues: readonly {
        readonly message: string
        readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
      }[]
    }
