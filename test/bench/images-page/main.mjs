const programs = {
  ours: () => import('../programs/verify-image.mjs'),
  c2pa: () => import('../programs/c2pa-image.mjs'),
}

/** Milliseconds from asking for a program to its first verdict, and of each of some more on the same image. */
window.verdicts = async ({ program, given, more }) => {
  const bytes = Uint8Array.from(atob(given.image), (character) => character.charCodeAt(0))
  const start = performance.now()
  const { verifier } = await programs[program]()
  const verify = await verifier(given)
  await verify(bytes)
  const first = performance.now() - start
  const warm = []
  while (warm.length < more) {
    const began = performance.now()
    await verify(bytes)
    warm.push(performance.now() - began)
  }
  return { first, warm }
}
