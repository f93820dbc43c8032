import type { RequestContext } from '../../port/request-context.ts'
import { TRACING_HEADERS } from '../../wire/tracing-header.ts'
import { headerText } from './header-text.ts'

/** What the frameworks tell of a request, each in its own way. */
export interface RequestFacts {
  readonly method: string | undefined
  /** As it was asked for: path and query, or a whole address. */
  readonly url: string | undefined
  /** Scheme and host, such as `https://example.com`: what a path needs to be an address. */
  readonly origin?: string | undefined
  /** Whom the framework, knowing which proxies may be trusted, holds to be asking. */
  readonly ip?: string | undefined
  /** @param name In lower case. */
  header(name: string): unknown
}

/**
 * Whom and what a request is about, as far as it tells. Good for statistics alone: anybody can write these headers, so nothing that is allowed or
 * shown may hang on them.
 */
export const contextOfRequest = (request: RequestFacts): RequestContext => {
  const [distinctId, sessionId] = TRACING_HEADERS
  const { method, url = '', origin = '', ip } = request
  const properties = {
    $current_url: url.startsWith('/') ? origin + url : url,
    $request_method: method,
    $request_path: pathOf(url),
    $user_agent: headerText(request.header('user-agent')),
    // IPv4 in its IPv6 form, as sockets that listen to both give it.
    $ip: ip?.replace(/^::ffff:(?=[\d.]+$)/i, ''),
  }
  return {
    distinctId: headerText(request.header(distinctId)),
    sessionId: headerText(request.header(sessionId)),
    properties: Object.fromEntries(Object.entries(properties).filter(([, value]) => value)),
  }
}

const pathOf = (url: string): string => {
  // RFC 9112 3.2: most requests name a path, those to proxies a whole address, `OPTIONS` perhaps a star.
  const path = /^[a-z][a-z\d+.-]*:\/\/[^/?#]*(.*)$/i.exec(url)?.[1] ?? url
  return path.replace(/[?#].*$/s, '') || '/'
}

/** What the code has said of a request is stronger than what the request says of itself. */
export const under = (outer: RequestContext | undefined, told: RequestContext): RequestContext => ({
  distinctId: outer?.distinctId ?? told.distinctId,
  sessionId: outer?.sessionId ?? told.sessionId,
  properties: { ...told.properties, ...outer?.properties },
})
