import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../docs/markdown.ts'

const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  devDependencies: { unstorage: string }
}

/** What npm installs of unstorage: the version that is tested everywhere. */
export const unstorage: string = `unstorage@${devDependencies.unstorage}`
