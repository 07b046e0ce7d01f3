// The values that a policy can have, as the published schema lists them.
import { readFileSync } from 'node:fs'
import type { Policy } from './forms.ts'

interface Schema {
  readonly enum?: readonly string[]
  readonly required?: readonly string[]
  readonly oneOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly $ref?: string
}

const path = new URL('../../schemas/agreement/v2/agreement.schema.json', import.meta.url)
const { $defs: definitions } = JSON.parse(readFileSync(path, 'utf8')) as {
  readonly $defs: Readonly<Record<string, Schema>>
}

const resolved = (schema: Schema): Schema =>
  schema.$ref === undefined ? schema : resolved(definitions[schema.$ref.replace('#/$defs/', '')] ?? {})

/** The words that a member can be or list, and the member that it has where it is an object; none of numbers and dates. */
function wordsOf(given: Schema): readonly string[] {
  const schema = resolved(given)
  const parts = [...(schema.oneOf ?? []), ...(schema.items === undefined ? [] : [schema.items])]
  return [...(schema.enum ?? []), ...(schema.required ?? []), ...parts.flatMap(wordsOf)]
}

/** Each member of the policy with each of its values; the value is empty if the member has no fixed ones. */
export const policyValues: readonly (readonly [keyof Policy, string])[] = Object.entries(
  definitions['policy']?.properties ?? {},
).flatMap(([name, schema]) => {
  const words = wordsOf(schema)
  return (words.length === 0 ? [''] : words).map((word): [keyof Policy, string] => [name as keyof Policy, word])
})

/** Whether terms have this value of their policy. */
export function hasValue(terms: unknown, name: keyof Policy, value: string): boolean {
  const { [name]: given } = (terms as { policy?: Policy } | undefined)?.policy ?? {}
  if (given === undefined || value === '') return given !== undefined
  if (Array.isArray(given)) return given.includes(value)
  return given === value || (typeof given === 'object' && Object.hasOwn(given, value))
}
