// What a page or a program does that only verifies, with this library.
import { init, verifyStandalone } from 'sx-agent/verify'

export async function verify({ document, keys }) {
  await init()
  const { errors } = verifyStandalone(document, { keys })
  if (errors.length > 0) throw new Error(errors.join('\n'))
}
