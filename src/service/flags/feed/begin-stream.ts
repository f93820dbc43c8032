import type { Writable } from 'node:stream'
import type { FastifyReply } from 'fastify'

/** Answers the head of an event stream and takes the response out of the framework's hands. */
export const beginStream = (reply: FastifyReply): Writable => {
  reply
    .type('text/event-stream')
    .header('cache-control', 'no-store')
    // The stream is all that this connection is for: it ends with it, as a stopping service needs.
    .header('connection', 'close')
    // nginx would keep messages back until its buffer is full.
    .header('x-accel-buffering', 'no')
    .hijack()
  for (const [name, value] of Object.entries(reply.getHeaders())) reply.raw.setHeader(name, value ?? [])
  return reply.raw.writeHead(200)
}
