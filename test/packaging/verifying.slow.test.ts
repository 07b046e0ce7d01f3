// As verifying.test.ts, with the other bundlers.
import { join } from 'node:path'
import { nodeResolve } from '@rollup/plugin-node-resolve'
import { build as esbuild, transform } from 'esbuild'
import { rollup } from 'rollup'
import { build as vite } from 'vite'
import { it } from 'vitest'
import webpack from 'webpack'
import { at, leavesTheRestOut } from './verifying.ts'

const bundlers: Record<string, (out: string) => Promise<unknown>> = {
  Vite: (out) =>
    vite({
      root: at(),
      configFile: false,
      logLevel: 'error',
      build: {
        outDir: out,
        target: 'es2022',
        rolldownOptions: { input: at('verify.js'), output: { entryFileNames: 'verify.js' } },
      },
    }),
  webpack: (path) =>
    new Promise((resolve, reject) => {
      const output = { path, filename: 'verify.js', publicPath: 'https://example.com/' }
      webpack({ mode: 'production', context: at(), entry: './verify.js', target: 'web', output }, (error, stats) => {
        if (error !== null) reject(error)
        else if (stats?.hasErrors()) reject(new Error(stats.toString()))
        else resolve(undefined)
      })
    }),
  rollup: async (dir) => {
    const bundle = await rollup({ input: at('verify.js'), plugins: [nodeResolve({ browser: true })] })
    const { output } = await bundle.generate({ format: 'es' })
    const { code } = await transform(output[0].code, { minify: true })
    await esbuild({ stdin: { contents: code }, outfile: join(dir, 'verify.js') })
  },
}

// oxlint-disable-next-line vitest/expect-expect -- what it calls does
it.each(Object.entries(bundlers))('%s leaves the rest out', leavesTheRestOut)
