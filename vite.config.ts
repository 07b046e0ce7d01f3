import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { playwright } from '@vitest/browser-playwright'
import type { Plugin } from 'vite'
import {
  configDefaults,
  defineConfig,
  type TestProjectInlineConfiguration,
  type ViteUserConfig,
  type ViteUserConfigFnObject,
} from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { chromiumArgs, findBrowser } from './scripts/browsers.mjs'
import { readme } from './scripts/readme.mjs'
import { HANGING, WAITING } from './test/pace.ts'

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

/** What a page needs to use the library, and nothing more. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "connect-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ')

/** The sources of `sx-agent` and its subpaths, so that examples and tests import it as a user does. */
function sourceOfEntries(): { find: RegExp; replacement: string }[] {
  const { exports } = JSON.parse(readFileSync(here('package.json'), 'utf8')) as {
    exports: Record<string, string | { types: string }>
  }
  return Object.entries(exports).flatMap(([entry, target]) =>
    typeof target === 'string'
      ? []
      : {
          find: new RegExp(`^sx-agent${entry.slice(1)}$`),
          replacement: here(target.types.replace('./dist/types/', './').replace(/\.d\.ts$/, '.ts')),
        },
  )
}

// The sources themselves, not what dist was built from them.
const fromSource = { resolve: { alias: sourceOfEntries() } }

/** Begins with the files that take minutes, so that no core waits for one of them at the end. */
class LongestFirst extends BaseSequencer {
  static readonly #long =
    /\/(?:packaging\/matrix\.slow|simulation\/simulation(?:-\w+\.slow)?|conformance\/conformance|page\/example)\.test\.ts$/

  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const isLong = ({ moduleId }: TestSpecification): boolean => LongestFirst.#long.test(moduleId)
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))]
  }
}

const isCI = process.env['CI'] === 'true'
const timeouts = { testTimeout: HANGING, hookTimeout: HANGING, expect: { poll: { timeout: WAITING } } }
const inPages = 'test/**/*.browser.test.ts'
/** What `npm run test:all` runs besides: whole matrices, kills by the dozen, other people's programs. */
const slow = 'test/**/*.slow.test.ts'

function projects(): TestProjectInlineConfiguration[] {
  const inNode = (name: string, include: string, exclude: readonly string[]): TestProjectInlineConfiguration => ({
    resolve: { alias: [...sourceOfEntries(), { find: /^#core$/, replacement: here('test/few-salts.ts') }] },
    test: {
      name,
      include: [include],
      exclude: [...configDefaults.exclude, ...exclude],
      globalSetup: [here('test/global-setup.ts')],
      setupFiles: [here('test/setup.ts')],
      pool: 'forks',
      maxWorkers: availableParallelism() + 2, // most tests wait for other processes
      ...timeouts,
    },
  })
  const outside = [inNode('node', 'test/**/*.test.ts', [inPages, slow]), inNode('slow', slow, [])]
  const executablePath = findBrowser('chromium')
  if (executablePath === undefined) {
    const install = 'Run `node scripts/setup.mjs --browsers`, or set SX_CHROMIUM.'
    if (isCI) throw new Error(`Chromium is missing. ${install}`)
    console.warn(`\nChromium is missing: the tests in a page do NOT run. ${install}\n`)
    return outside
  }
  const browser: TestProjectInlineConfiguration = {
    ...fromSource,
    optimizeDeps: { include: ['idb-keyval'] }, // found late, it would reload the page in the middle of a test
    test: {
      name: 'browser',
      include: ['test/conformance/**/*.test.ts', inPages],
      setupFiles: [here('test/patience.ts')],
      maxWorkers: 1, // its files share a browser
      sequence: { groupOrder: 1 }, // after the others, which use all cores
      ...timeouts,
      browser: {
        enabled: true,
        headless: true,
        screenshotFailures: false,
        connectTimeout: HANGING,
        // A test of what a page holds collects the garbage first, and reads what is exact.
        provider: playwright({
          launchOptions: {
            executablePath,
            args: [...chromiumArgs, '--js-flags=--expose-gc', '--enable-precise-memory-info'],
          },
        }),
        instances: [{ browser: 'chromium', name: 'chromium' }],
      },
    },
  }
  return [...outside, browser]
}

const example = here('examples/page')
const agreement = here('examples/agreement')

/** The example has a second page, which shows what README.md says. */
const about: Plugin = {
  name: 'about',
  // Not for the pages of the tests, which are built with this configuration, too.
  config: ({ root }) =>
    root === example
      ? { build: { rolldownOptions: { input: ['index.html', 'about.html'].map((name) => `${example}/${name}`) } } }
      : {},
  transformIndexHtml: { order: 'pre', handler: (html) => html.replace('<!-- README.md -->', readme) },
}

/** What both examples of pages consist of. */
const parts: Plugin = {
  name: 'parts',
  transformIndexHtml: {
    order: 'pre',
    handler: (html) =>
      html.replaceAll(/<!-- (parts\/[\w-]+\.html) -->/g, (_, path: string) =>
        readFileSync(`${example}/${path}`, 'utf8'),
      ),
  },
}

/** That example is built into a folder of the first one: in one browser, both have the same agent. */
const beside: Plugin = {
  name: 'beside',
  config: ({ root = '', build }) =>
    resolve(root) === agreement
      ? { base: '/agreement/', build: { outDir: join(build?.outDir ?? '', 'agreement') } }
      : {},
}

const page: ViteUserConfig = {
  ...fromSource,
  root: example,
  plugins: [about, parts, beside],
  build: { target: 'es2022', outDir: here('.cache/page'), emptyOutDir: true },
  preview: { headers: { 'Content-Security-Policy': contentSecurityPolicy } },
}

// By mode, not by an environment variable: a test may build the page.
const config: ViteUserConfigFnObject = defineConfig(({ mode }) =>
  mode === 'test' ? { ...fromSource, test: { projects: projects(), sequence: { sequencer: LongestFirst } } } : page,
)
export default config
