import type { Clock } from '../port/clock.ts'
import type { Logger } from '../port/logger.ts'
import type { Send } from '../port/send.ts'

/** Wraps `send` so that debug mode tells of each request. */
export const reportRequests =
  (clock: Clock, send: Send, logger: Logger): Send =>
  async (request) => {
    const startMs = clock.now()
    const response = await send(request)
    logger.debug('request', request.url, response.status, startMs)
    return response
  }
