import type { FastifyInstance } from 'fastify'

/**
 * Keeps the answers of the management API, errors included, out of all caches, and makes browsers take their content type as it is. A
 * public list may set a caching of its own.
 */
export const addPrivateHeaders = (api: FastifyInstance): void => {
  api.addHook('onSend', async (request, reply) => {
    reply.header('x-content-type-options', 'nosniff')
    const isPrivate = request.routeOptions.config.access?.kind === 'personalKey' || reply.statusCode >= 400
    if (isPrivate || !reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store')
  })
}
