// Custom schemas, compiled and applied to a document of 1 KB: node schemas.mjs [--quick]. Prints JSON.
import { readFileSync } from 'node:fs'
import { Validator } from '@cfworker/json-schema'
import { Ajv } from 'ajv'
import { SxAgent } from 'sx-agent'
import { memoryStorage } from 'sx-agent/storage'
import * as glue from '#glue/schema/schema.js'
import { invoice } from '../documents.mjs'
import { race, ratio, summary } from '../measure.mjs'

const pace = process.argv.includes('--quick') ? { rounds: 3, milliseconds: 40 } : { rounds: 15, milliseconds: 150 }
const read = (path) => readFileSync(new URL(`../../../${path}`, import.meta.url))
const header = JSON.parse(read('schemas/header/v1/header.schema.json'))
const line = {
  type: 'object',
  properties: {
    article: { type: 'string', pattern: '^A-[0-9]+$' },
    description: { type: 'string' },
    quantity: { type: 'integer', minimum: 1 },
    unitPrice: { type: 'number', minimum: 0 },
    taxed: { type: 'boolean' },
    note: { type: ['string', 'null'] },
  },
  required: ['article', 'quantity', 'unitPrice'],
}
const schema = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  $id: 'https://example.com/schemas/v1/invoice.schema.json',
  allOf: [
    { $ref: header.$id },
    {
      type: 'object',
      properties: {
        number: { type: 'string', pattern: '^INV-[0-9]{4}-[0-9]{4}$' },
        customer: { type: 'string' },
        currency: { enum: ['EUR', 'USD'] },
        lines: { type: 'array', minItems: 1, items: { $ref: '#/$defs/line' } },
      },
      required: ['number', 'customer', 'currency', 'lines'],
    },
  ],
  $defs: { line },
}

const options = { algorithm: 'ed25519', storage: memoryStorage(), password: crypto.randomUUID() }
const made = await SxAgent.create({ name: 'Benchmark', ...options })
const body = invoice(1024)
const text = await made.agent.createDocument(body, { schema, noSave: true })
const document = JSON.parse(text)

const schemaText = JSON.stringify(schema)
glue.initSync({ module: read('wasm/dist/schema/schema_bg.wasm') })
const handle = glue.schemaLoad(schemaText, [])
const ajv = () => new Ajv({ strict: false, allErrors: true, formats: { 'date-time': true } }).addSchema(header)
const cfworker = () => {
  const validator = new Validator(schema, '7', false)
  validator.addSchema(header)
  return validator
}
const [byAjv, byCfworker] = [ajv().compile(schema), cfworker()]
const wrong = { ...document, lines: [] }
if (!byAjv(document) || !byCfworker.validate(document).valid || byAjv(wrong) || byCfworker.validate(wrong).valid) {
  throw new Error('The others say something else.')
}

const rates = await race(
  {
    compile: () => glue.schemaFree(glue.schemaLoad(schemaText, [])),
    compileAjv: () => ajv().compile(schema),
    compileCfworker: () => cfworker().validate({}), // it compiles nothing, and looks up references at first use
    check: () => glue.schemaCheck(handle, text, ''),
    checkAjv: () => byAjv(JSON.parse(text)),
    checkCfworker: () => byCfworker.validate(JSON.parse(text)),
    sign: () => made.agent.createDocumentSync(body, null, null, true),
    signWith: () => made.agent.createDocumentSync(body, { schema: schemaText, noSave: true }),
  },
  pace,
)
console.log(
  JSON.stringify({
    rates: Object.fromEntries(Object.entries(rates).map(([name, rate]) => [name, summary(rate).median])),
    ratios: {
      compileAjv: ratio(rates.compile, rates.compileAjv),
      compileCfworker: ratio(rates.compile, rates.compileCfworker),
      checkAjv: ratio(rates.check, rates.checkAjv),
      checkCfworker: ratio(rates.check, rates.checkCfworker),
    },
  }),
)
