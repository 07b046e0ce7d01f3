// Schemas of other libraries, by the interface Standard Schema: https://standardschema.dev
import { type EffectOf, kind, type Operation, perform } from '../effects.ts'
import { type SchemaViolation, SxError } from '../errors.ts'
import type { StandardSchema } from '../types.ts'

/** As many faults are told. */
const MOST = 100

/** Checks data, and gives what the schema makes of them; `SchemaViolation` if they do not fit. */
export type CheckData = (data: unknown) => Operation<unknown>

/**
 * What an option `as` checks.
 *
 * @throws SxError `InvalidOption`
 */
export function checkBy(schema: unknown): CheckData | undefined {
  if (schema === undefined) return undefined
  const { validate, vendor } = readSchema(schema)
  return function* (data) {
    return outcomeOf(yield* perform(validating(validate, data)), vendor)
  }
}

interface Standard {
  readonly vendor: string
  readonly validate: (value: unknown) => unknown
}

/** The members of a schema, an object or a function, each read once. */
function readSchema(schema: unknown): Standard {
  const given = schema as Partial<StandardSchema> | null
  try {
    const { version, vendor, validate } = given?.['~standard'] ?? {}
    if (version === 1 && typeof vendor === 'string' && typeof validate === 'function') {
      const standard = given?.['~standard']
      return { vendor, validate: (value) => validate.call(standard, value) }
    }
  } catch (cause) {
    throw new SxError('InvalidOption', "The option 'as' cannot be read.", { cause })
  }
  const advice = 'Pass a schema of zod, valibot, arktype or another library with this interface.'
  throw new SxError('InvalidOption', "The option 'as' is not a Standard Schema of version 1.", { advice })
}

function threw(cause: unknown): SxError {
  return new SxError('InvalidOption', "The schema of the option 'as' threw an error.", { cause })
}

const VALIDATE = /* @__PURE__ */ kind('validate', {
  async: async ({ validate, data }) => {
    try {
      return await validate(data)
    } catch (cause) {
      throw threw(cause)
    }
  },
  sync: ({ validate, data }) => {
    let result: unknown
    try {
      result = validate(data)
    } catch (cause) {
      throw threw(cause)
    }
    if (!(result instanceof Promise)) return result
    result.catch(() => {}) // the caller is told that it is not awaited
    const advice = 'Call the asynchronous function of the same name.'
    throw new SxError('InvalidOption', "The schema of the option 'as' is asynchronous.", { advice })
  },
})

function validating(validate: Standard['validate'], data: unknown): EffectOf<'validate'> {
  return { kind: VALIDATE, validate, data }
}

/** The value of a result; only one that has a value and no issues is good. */
function outcomeOf(result: unknown, vendor: string): unknown {
  let details: SchemaViolation[]
  try {
    if (typeof result !== 'object' || result === null) throw new TypeError('no result')
    const { issues } = result as { issues?: readonly unknown[] }
    if (issues === undefined && 'value' in result) return result.value
    details = Array.from(issues ?? [])
      .slice(0, MOST)
      .map((issue) => violation(issue, vendor))
  } catch (cause) {
    throw new SxError('InvalidOption', "The schema of the option 'as' does not return a Standard Schema result.", {
      cause,
    })
  }
  throw new SxError('SchemaViolation', `The data does not match the schema of the option 'as' (${vendor}).`, {
    details,
  })
}

function violation(issue: unknown, keyword: string): SchemaViolation {
  const { message, path = [] } = issue as { message: string; path?: readonly unknown[] }
  const names = Array.from(path, (step) =>
    String(typeof step === 'object' && step !== null && 'key' in step ? step.key : step),
  )
  const pointer = names.map((name) => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
  return Object.freeze({ path: pointer, keyword, message: String(message).replace(/\.$/, '') })
}
