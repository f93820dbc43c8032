import { withoutSlash } from '../lib/without-slash.ts'
import { isNonBlankString } from '../wire/is-non-blank-string.ts'
import { Path } from '../wire/path.ts'
import { startTracingHeaders } from './tracing-headers.ts'

/** The verbs that return what the headers contain. */
interface TracedAgent {
  isOptedOut(): boolean
  getDistinctId(): string
  getSessionId(): string
}

/**
 * Starts the option `tracingHeaders`.
 *
 * @param option The option as the page has set it; values that are not strings are ignored.
 * @param agent While its user is opted out, requests get no headers.
 * @param host URL of the service. The agent's own requests get no headers; others do, because the host may be the page's own origin.
 * @returns A function that stops it.
 */
export type StartTracing = (option: readonly string[], agent: TracedAgent, host: string, apiKey: string) => () => void

export const startTracing: StartTracing = (option, agent, host, apiKey) => {
  const ownUrls = [Path.batch, Path.decide, Path.flags, Path.config(apiKey)].map((path) =>
    withoutSlash(encodeURI(host + path)),
  )
  return startTracingHeaders(
    [option].flat().filter(isNonBlankString),
    () => (agent.isOptedOut() ? undefined : [agent.getDistinctId(), agent.getSessionId()]),
    // Behind some proxies the agent's own URLs have no slash at the end.
    (url) => ownUrls.some((ownUrl) => withoutSlash(url).endsWith(ownUrl)),
  )
}
