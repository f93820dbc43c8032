import type { Clock } from './clock.ts'
import type { Logger } from './logger.ts'
import type { Send } from './send.ts'

/** Wraps `send` so that debug mode tells of each request. */
export const reportRequests =
  (clock: Clock, send: Send, logger: Logger): Send =>
  async (request) => {
    const startMs = clock.now()
    const response = await send(request)
    logger.debug('request', request.url, response.status, startMs)
    return response
  }
