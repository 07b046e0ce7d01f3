// Vercel's edge runtime is given the module by its bundler, under a name that only that one knows.
export const coreSource = () => undefined
