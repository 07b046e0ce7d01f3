// Custom schemas: compiling them, and checking documents by them.
import { child } from '../child.mjs'
import { number, spread, table, times } from '../report.mjs'

/** A document of 1 KB, text to verdict. */
export async function schemas({ quick }) {
  const { rates, ratios } = await child('schemas.mjs', quick ? ['--quick'] : [])
  const row = (name, rate, ...compared) => [name, number(rate), ...compared.map((one) => one && spread(one, times))]
  return {
    tables: table(
      ['a schema that extends the header, a document of 1 KB', 'per CPU-second', '× ajv', '× @cfworker/json-schema'],
      [
        row('compile', rates.compile, ratios.compileAjv, ratios.compileCfworker),
        row('ajv: compile to JavaScript', rates.compileAjv, '', ''),
        row('@cfworker/json-schema: prepare', rates.compileCfworker, '', ''),
        row('check, from the text to the verdict, read strictly', rates.check, ratios.checkAjv, ratios.checkCfworker),
        row('ajv: check, from the text', rates.checkAjv, '', ''),
        row('@cfworker/json-schema: check, from the text', rates.checkCfworker, '', ''),
        row('`createDocumentSync`, Ed25519, unsaved', rates.sign, '', ''),
        row('the same with the schema', rates.signWith, '', ''),
      ],
    ),
    targets: { schemaCompile: ratios.compileAjv, schemaCheck: ratios.checkCfworker },
  }
}
