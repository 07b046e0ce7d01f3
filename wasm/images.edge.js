// Vercel's edge runtime is given modules by its bundler; see module.edge.js.
export const mediaSource = () => undefined
export const pixelsSource = () => undefined
