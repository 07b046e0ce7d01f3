// Vercel's edge runtime is given modules by its bundler; see module.edge.js.
export const schemaSource = () => undefined
