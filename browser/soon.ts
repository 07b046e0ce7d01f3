/** What a promise gives, if it does so within some milliseconds; else `undefined`, and nobody waits for it. */
export async function soon<T>(promise: Promise<T> | undefined, milliseconds: number): Promise<T | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), milliseconds)
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}
