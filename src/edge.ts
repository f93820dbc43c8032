export { edgeContext, expressContext, fastifyContext, httpContext } from './middleware.ts'
export type { RequestContext } from './port/request-context.ts'
