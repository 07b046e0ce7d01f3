// Which commit something is built from.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { capture } from './shared.mjs'

export async function commitOf(folder) {
  if (!existsSync(join(folder, '.git'))) return null // it may still lie inside of another project's checkout
  const args = ['describe', '--always', '--dirty', '--abbrev=40', '--exclude=*']
  return await capture('git', args, { cwd: folder }).then(
    ({ stdout }) => stdout.trim(),
    () => null,
  )
}
