import type { RequestContext } from '../../port/request-context.ts'
import { TRACING_HEADERS } from '../../wire/tracing-header.ts'
import { cleanHeaderValue } from './header-value.ts'

/** What middleware reads from the request of its framework. */
export interface RequestInfo {
  readonly method: string | undefined
  /** The request target: path and query, or a complete URL. */
  readonly url: string | undefined
  /** Scheme and host, such as `https://example.com`, to complete a path to a URL. */
  readonly origin?: string | undefined
  /** The client's IP address, as determined by a framework that knows the trusted proxies. */
  readonly ip?: string | undefined
  /** @param name In lower case. */
  header(name: string): unknown
}

/**
 * Reads the user, the session and event properties from a request. Use them for analytics only, never for authorization: any client can set
 * these headers.
 */
export const readRequestContext = (request: RequestInfo): RequestContext => {
  const [distinctId, sessionId] = TRACING_HEADERS
  const { method, url = '', origin = '', ip } = request
  const properties = {
    $current_url: url.startsWith('/') ? origin + url : url,
    $request_method: method,
    $request_path: readPath(url),
    $user_agent: cleanHeaderValue(request.header('user-agent')),
    // Dual-stack sockets give IPv4 addresses in their IPv6 form.
    $ip: ip?.replace(/^::ffff:(?=[\d.]+$)/i, ''),
  }
  return {
    distinctId: cleanHeaderValue(request.header(distinctId)),
    sessionId: cleanHeaderValue(request.header(sessionId)),
    properties: Object.fromEntries(Object.entries(properties).filter(([, value]) => value)),
  }
}

const readPath = (url: string): string => {
  // RFC 9112 3.2: the target is a path, a complete URL in requests to proxies, or a star with `OPTIONS`.
  const path = /^[a-z][a-z\d+.-]*:\/\/[^/?#]*(.*)$/i.exec(url)?.[1] ?? url
  return path.replace(/[?#].*$/s, '') || '/'
}

/** Merges a request's context with the context that the application has set around it. The application's values win. */
export const mergeOuterContext = (
  outer: RequestContext | undefined,
  requestContext: RequestContext,
): RequestContext => ({
  distinctId: outer?.distinctId ?? requestContext.distinctId,
  sessionId: outer?.sessionId ?? requestContext.sessionId,
  properties: { ...requestContext.properties, ...outer?.properties },
})
