import type { Clock } from './clock.ts'
import type { Logger } from './logger.ts'
import type { Send } from './send.ts'

/** Wraps `send` so that debug mode tells of each request. */
export const reportRequests =
  ({ clock, send }: { readonly clock: Clock; readonly send: Send }, { debug }: Logger): Send =>
  async (request) => {
    const startMs = clock.now()
    const response = await send(request)
    debug('request', request.url, response.status, startMs, request.about)
    return response
  }
