// What a page does that verifies images by the signature in their metadata, with the keys of those that may sign.
import { init, verifyImage } from 'sx-agent/simple'

export async function verifier({ keys }) {
  await init()
  return async (image) => {
    const { valid, errors, status } = await verifyImage(image, { keys })
    if (!valid) throw new Error(`${status} ${errors}`)
  }
}
