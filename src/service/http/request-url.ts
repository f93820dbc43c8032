import type { FastifyRequest } from 'fastify'
import { isIPv6 } from 'node:net'
import { badRequest } from '../http-error.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** `Config.publicUrl`. */
    publicUrl: string | null
  }
}

/** What `requestUrl` reads of a request. */
export type UrlRequest = Pick<FastifyRequest, 'headers' | 'url'> & {
  readonly server: Pick<FastifyRequest['server'], 'publicUrl'>
  readonly socket: Pick<FastifyRequest['socket'], 'remoteAddress' | 'localAddress' | 'localPort'>
}

const isLoopback = (ip: string | undefined): boolean =>
  ip !== undefined && (/^(::ffff:)?127\./i.test(ip) || ip === '::1')

/**
 * The full URL of a request, for the URLs in its answer. It begins with `--public-url`. Without that, only a client on the same machine
 * is believed what it calls the service (`Host`); others get the IP address that they have connected to.
 */
export const requestUrl = ({ headers, url, server, socket }: UrlRequest): URL => {
  // A request line may have a whole URL, whose host is as little to be believed.
  const path = url.replace(/^https?:\/\/[^/?]*/i, '')
  if (server.publicUrl !== null) return new URL(`${server.publicUrl.replace(/\/+$/, '')}${path}`)
  if (!isLoopback(socket.remoteAddress)) {
    const { localAddress: socketAddress = 'localhost', localPort } = socket
    // That of a client that has connected by IPv4 to a socket of IPv6.
    const localAddress = socketAddress.replace(/^::ffff:(?=\d+\.)/i, '')
    const host = isIPv6(localAddress) ? `[${localAddress.replace(/%.*$/, '')}]` : localAddress
    return new URL(`http://${host}${localPort === undefined ? '' : `:${localPort}`}${path}`)
  }
  const origin = `http://${headers.host}`
  if (!URL.canParse(origin))
    throw badRequest(
      'malformed_host',
      'The Host header is malformed; send a valid host name with an optional port.',
      'host',
    )
  return new URL(`${new URL(origin).origin}${path}`)
}
