// Calls a function, bundled, in Vercel's edge runtime, in a process of its own because that does not let go of it.
//
//   node edge-vm.mjs <bundle> <core.wasm> <JSON: variables and bodies>
import { readFileSync } from 'node:fs'
import { EdgeVM } from '@edge-runtime/vm'

const [bundle, core, given] = process.argv.slice(2)
const { env, bodies } = JSON.parse(given)
const vm = new EdgeVM({ extend: (context) => Object.assign(context, { process: { env } }) })
// As that platform does, the module is compiled before the function is called.
vm.context.coreModule = await vm.evaluate('WebAssembly').compile(readFileSync(core))
vm.evaluate(readFileSync(bundle, 'utf8'))
const { default: handler, config } = vm.context.edgeFunction
const answers = []
for (const body of bodies) {
  const request = new vm.context.Request(
    'https://example.com/api/verify',
    body === null ? {} : { method: 'POST', body },
  )
  const answer = await handler(request)
  answers.push([answer.status, await answer.text()])
}
process.stdout.write(JSON.stringify({ config, answers }))
process.exit(0)
