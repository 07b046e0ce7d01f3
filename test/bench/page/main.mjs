/** Milliseconds from asking for the library to the first verdict. */
window.firstVerify = async ({ documents, keyDirectory }) => {
  const start = performance.now()
  const { init, verifyStandalone } = await import('../../../dist/browser/simple.js')
  await init()
  const { errors } = verifyStandalone(documents[0], { keyDirectory })
  const milliseconds = performance.now() - start
  if (errors.length > 0) throw new Error(errors.join('\n'))
  return milliseconds
}
