/** The parts of the package that the tests use. */
declare module 'json-schema-test-suite' {
  interface Group {
    readonly description: string
    readonly schema: Record<string, unknown>
    readonly tests: readonly { readonly description: string; readonly data: unknown; readonly valid: boolean }[]
  }
  interface File {
    readonly name: string
    readonly schemas: readonly Group[]
  }
  const suite: { draft4(): readonly File[] }
  export default suite
}
