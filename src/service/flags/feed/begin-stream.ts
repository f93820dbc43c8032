import type { Writable } from 'node:stream'
import type { FastifyReply } from 'fastify'

/** Sends the response headers of an event stream and detaches the response from the framework. */
export const beginStream = (reply: FastifyReply): Writable => {
  reply
    .type('text/event-stream')
    .header('cache-control', 'no-store')
    .header('x-content-type-options', 'nosniff')
    // The connection closes with the stream, so that a stopping service need not wait for it.
    .header('connection', 'close')
    // Otherwise nginx buffers messages until its buffer is full.
    .header('x-accel-buffering', 'no')
    .hijack()
  for (const [name, value] of Object.entries(reply.getHeaders())) reply.raw.setHeader(name, value ?? [])
  return reply.raw.writeHead(200)
}
