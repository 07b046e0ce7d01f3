// The operations that only SxAgent has, or has in another form than `/simple`.
export * from './api/agreement-field.agent.ts'
export * from './api/artifacts.agent.ts'
export * from './api/documents.agent.ts'
export * from './api/identity.agent.ts'
