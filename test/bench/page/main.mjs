const programs = {
  verify: () => import('../programs/verify.mjs'),
  jose: () => import('../programs/jose.mjs'),
  'noble-ed25519': () => import('../programs/noble-ed25519.mjs'),
  'noble-ml-dsa-87': () => import('../programs/noble-ml-dsa-87.mjs'),
}

/** Milliseconds from asking for a program to its first verdict. */
window.firstVerify = async ({ program, given }) => {
  const start = performance.now()
  const { verify } = await programs[program]()
  await verify(given)
  return performance.now() - start
}
