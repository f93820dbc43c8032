import type { FastifyRequest } from 'fastify'
import { badRequest } from '../http-error.ts'

/** The full URL of a request, as the client sent it; behind a trusted proxy, as the client sent it to the proxy. */
export const requestUrl = ({ protocol, host, url }: Pick<FastifyRequest, 'protocol' | 'host' | 'url'>): URL => {
  const origin = `${protocol}://${host}`
  if (!URL.canParse(origin))
    throw badRequest(
      'malformed_host',
      'The Host header is malformed; send a valid host name with an optional port.',
      'host',
    )
  return new URL(url, origin)
}
